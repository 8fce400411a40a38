import AtriumKit
import AtriumNetworking
import BenchSupport

/// Many concurrent calls with an expired access token.
enum Expiry {
    /// Signs in, lets the token expire, and makes concurrent calls.
    ///
    /// - Parameters:
    ///   - transport: The connection to the server.
    ///   - server: The server's URL; its test endpoint expires tokens.
    ///   - isKnown: Whether the manager knows that the token has expired; otherwise the server refuses it.
    ///   - count: The number of calls, each for another entity.
    /// - Returns: Wall-clock and processor time in nanoseconds, the number of answered calls, and the number of
    ///   token refreshes by the manager.
    /// - Throws: If the sign-in fails.
    static func run(
        _ transport: any HTTPTransport, server: String, isKnown: Bool, _ count: Int
    ) async throws -> String {
        let manager = try Calls.makeManager(transport, server)
        let tokens = try await signIn(manager)
        try await manager.use(isKnown ? expired(tokens) : tokens)
        let answer = try await transport.send(HTTPRequest(.post, server + "/_expire", body: .bytes([])))
        precondition((200..<300).contains(answer.status), "The server does not let tokens expire.")
        let start = Stopwatch()
        let outcomes = try await manager.batch(
            (1...count).map { .entity($0).unstored.with { $0.access = .required } }, width: count)
        let elapsed = start.elapsed
        let answered = outcomes.filter { (try? $0.get()) != nil }.count
        return "\(elapsed) \(answered) \(await manager.metrics.refreshes)"
    }

    /// Tokens of a person who exists in the server's seed.
    static func signIn(_ manager: APIManager) async throws -> AccessTokens {
        try await manager.obtainTokens(.password(username: "ada@example.com", password: "correct horse"))
    }

    private static func expired(_ tokens: AccessTokens) -> AccessTokens {
        AccessTokens(
            id: tokens.id, accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
            expiresAt: SystemTime().now().adding(seconds: -1), refreshExpiresAt: tokens.refreshExpiresAt)
    }
}
