import AtriumKit
import AtriumTesting

struct Row: Codable, Sendable, Hashable {
    var id: Int
    var name: String
}

extension Endpoint where Answer == Row {
    static func row(_ id: Int, access: APIAccess = .optional) -> Self {
        Endpoint(.get, "v1/rows/:id", ["id": "\(id)"], access: access)
    }

    static func create(_ row: Row) -> Self {
        Endpoint(.post, "v1/rows", body: .json(row))
    }
}

extension AccessTokens {
    /// Tokens of sign-in `id`; `number` distinguishes successive ones.
    static func sample(
        _ number: Int = 1, id: String = "ada", expiresAt: Timestamp? = nil, canRenew: Bool = true
    ) -> AccessTokens {
        AccessTokens(
            id: id, accessToken: "access-\(id)-\(number)",
            refreshToken: canRenew ? "refresh-\(id)-\(number)" : nil,
            expiresAt: expiresAt)
    }

    static let expired = AccessTokens.sample(expiresAt: Timestamp(microseconds: 0))
}

extension HTTPRequest {
    var token: String? {
        fields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
    }

    var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    var isForTokens: Bool { url.hasSuffix("/oauth/token") }
}

extension HTTPResponse {
    static let row = HTTPResponse.json(#"{"id": 1, "name": "Ada"}"#)

    static let unauthorized = HTTPResponse.json(
        #"{"type": "/problems/unauthenticated", "title": "Sign in.", "status": 401}"#, status: 401,
        ["Content-Type": "application/problem+json", "WWW-Authenticate": "Bearer error=\"invalid_token\""])

    static let invalidGrant = HTTPResponse.json(
        #"{"error": "invalid_grant", "error_description": "The refresh token is not known."}"#, status: 400)

    /// A response of the token endpoint.
    static func tokens(_ number: Int, id: String = "ada", life: Int = 60) -> HTTPResponse {
        .json(
            """
            {"access_token": "access-\(id)-\(number)", "token_type": "Bearer", "expires_in": \(life),
             "refresh_token": "refresh-\(id)-\(number)", "refresh_expires_in": 2592000}
            """)
    }
}

/// The API error that `work` throws; nil if it succeeds or throws another error.
func failure<Value>(_ work: () async throws -> Value) async -> APIError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? APIError
    }
}

/// Yields until the condition holds, a bounded number of times; returns whether it does.
func eventually(_ isSo: () async -> Bool) async -> Bool {
    for _ in 0..<1_000_000 {
        if await isSo() { return true }
        await Task.yield()
    }
    return false
}
