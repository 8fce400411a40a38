import AtriumKit

/// Sends requests with a token, which it refreshes when it has expired: once, for all who find it so.
actor APIManager {
    private let server: any Server
    private let clock: any WallClock
    private var token: Token?
    private var refresh: Task<Token, any Error>?

    init(server: any Server, clock: any WallClock) {
        self.server = server
        self.clock = clock
    }

    func request<Answer: Sendable>(
        _ send: @Sendable (any Server, Token) async throws -> Answer
    ) async throws -> Answer {
        try await send(server, validToken())
    }

    private func validToken() async throws -> Token {
        if let token, token.expiry > clock.now() { return token }
        // An actor lets others in at each await: who comes now takes the refresh that is under way.
        if let refresh { return try await refresh.value }
        let refresh = Task { [server] in try await server.refresh() }
        self.refresh = refresh
        defer { self.refresh = nil }
        let fresh = try await refresh.value
        token = fresh
        return fresh
    }
}
