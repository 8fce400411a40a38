/// The server's API: one client for the whole host.
///
/// Requests carry the token of the signed-in user, which is renewed when it has expired. Transient failures
/// are retried if that is safe. Answers are cached as the server allows. Failures are ``APIError``.
public protocol APIClient: Sendable {
    /// The address of the server, in one canonical form; nil if there is none. An ``OfflineStore`` keeps
    /// answers of different servers apart by it.
    var server: String? { get }
    /// The conventions of the API.
    var conventions: APIConventions { get }

    /// Sends a request, and decodes the answer; throws ``APIError``, or `CancellationError`, which cancels
    /// only this request.
    func request<Answer: Decodable & Sendable>(_ endpoint: Endpoint<Answer>) async throws -> Answer

    /// Sends a request for each endpoint, at most `width` at a time; throws `CancellationError` only.
    func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>]

    /// Streams the answer into a file, which appears once complete; a failure leaves the former file.
    ///
    /// The answer must have a type that the call's field `Accept` names, or be JSON if there is no such
    /// field.
    func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws

    /// Requests tokens, without using them; wrong credentials throw ``APIError`` with code `invalidGrant`.
    func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens

    /// The tokens that requests carry; nil if no user is signed in.
    var tokens: AccessTokens? { get async }

    /// Makes requests carry `tokens`, in this process and later ones, and drops cached answers; nil forgets
    /// the tokens.
    func use(_ tokens: AccessTokens?) async throws

    /// Revokes tokens at the server (RFC 7009).
    func revoke(_ tokens: AccessTokens) async throws

    /// The events of the tokens from now on, for one listener.
    func tokenEvents() async -> AsyncStream<TokenEvent>
}

extension APIClient {
    /// Nil by default: nothing is kept for offline use.
    public var server: String? { nil }
    /// Those of the reference server by default.
    public var conventions: APIConventions { APIConventions() }
}

/// The API of environments mock and local, and of live without a configured server.
@_spi(Host) public struct NoAPIClient: APIClient {
    private let error: APIError

    /// Creates a client whose requests all fail with `error`.
    public init(_ error: APIError = .noServer) {
        self.error = error
    }

    /// Throws the error of the initializer.
    public func request<Answer: Decodable & Sendable>(_ endpoint: Endpoint<Answer>) async throws -> Answer {
        throw error
    }

    /// Returns the error of the initializer for each endpoint.
    public func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>] {
        endpoints.map { _ in .failure(error) }
    }

    /// Throws the error of the initializer; creates no file.
    public func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        throw error
    }

    public func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens { throw error }
    /// Always nil.
    public var tokens: AccessTokens? { get async { nil } }
    public func use(_ tokens: AccessTokens?) async throws { throw error }
    public func revoke(_ tokens: AccessTokens) async throws { throw error }

    /// Returns a stream that ends at once.
    public func tokenEvents() async -> AsyncStream<TokenEvent> { AsyncStream { $0.finish() } }
}
