import AtriumKit

/// A server that answers only requests with its newest token.
protocol Server: Sendable {
    /// Issues a token, and revokes the former one.
    func refresh() async throws -> Token
    func member(_ token: Token) async throws -> Member?
    func submit(_ member: Member, _ token: Token) async throws
}

struct Token: Hashable, Sendable {
    let text: String
    let expiry: Timestamp
}

extension ServiceError {
    static let revokedToken = ServiceError(.notAuthenticated, "The token was revoked.")
}
