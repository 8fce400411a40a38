/// The server's API, as services reach it: one client for the whole host.
///
/// Requests carry the token of who is signed in, which is renewed when it has expired, once for all who wait;
/// what may be repeated is repeated after failures that pass; answers are kept as the server allows. Failures
/// are ``APIError``.
public protocol APIClient: Sendable {
    /// The address of the server, written the same way for as long as it is the same; nil where there is none.
    ///
    /// What is kept of the server's answers is kept under it, so that another server's are never taken for
    /// them; see ``OfflineStore``.
    var server: String? { get }

    /// Asks the server, and decodes the answer.
    ///
    /// Cancelling the calling task ends this request and no other.
    ///
    /// - Throws: ``APIError``, or `CancellationError`.
    func request<Answer: Decodable & Sendable>(_ endpoint: Endpoint<Answer>) async throws -> Answer

    /// Asks for each of `endpoints`, at most `width` of them at a time.
    ///
    /// - Returns: What became of each, in the order of `endpoints`: one failure is that one's.
    /// - Throws: `CancellationError` where the calling task is cancelled; nothing else.
    func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>]

    /// Streams the answer into a file, which is there only once the whole answer is, and is what was asked
    /// for: of a type that the call's field `Accept` names, JSON without one, and no error in disguise.
    ///
    /// - Throws: ``APIError``, or `CancellationError`; what was at `path` before stays.
    func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws

    /// Asks the server for tokens; who is signed in stays so.
    ///
    /// - Throws: ``APIError``; wrong credentials have code `invalidGrant`.
    func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens

    /// The tokens that requests carry; nil where nobody is signed in.
    var tokens: AccessTokens? { get async }

    /// Makes `tokens` those that requests carry, in this process and those after it; nil forgets them.
    ///
    /// Answers that were stored for whoever was signed in are forgotten.
    ///
    /// - Throws: What keeps them from being stored; the former ones then stay.
    func use(_ tokens: AccessTokens?) async throws

    /// Tells the server that tokens are no longer good (RFC 7009).
    func revoke(_ tokens: AccessTokens) async throws

    /// What happens to the tokens from now on, for one listener.
    func tokenEvents() async -> AsyncStream<TokenEvent>
}

extension APIClient {
    /// No server: what is answered is no server's to be kept under.
    public var server: String? { nil }
}

/// An API that is not there: environments mock and local have none, and no server was configured for live.
@_spi(Host) public struct NoAPIClient: APIClient {
    private let error: APIError

    public init(_ error: APIError = .noServer) {
        self.error = error
    }

    public func request<Answer: Decodable & Sendable>(_ endpoint: Endpoint<Answer>) async throws -> Answer {
        throw error
    }

    public func batch<Answer: Decodable & Sendable>(
        _ endpoints: [Endpoint<Answer>], width: Int
    ) async throws -> [Result<Answer, any Error>] {
        endpoints.map { _ in .failure(error) }
    }

    public func download(
        _ call: APICall, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws {
        throw error
    }

    public func obtainTokens(_ grant: TokenGrant) async throws -> AccessTokens { throw error }
    public var tokens: AccessTokens? { get async { nil } }
    public func use(_ tokens: AccessTokens?) async throws { throw error }
    public func revoke(_ tokens: AccessTokens) async throws { throw error }

    public func tokenEvents() async -> AsyncStream<TokenEvent> {
        AsyncStream { $0.finish() }
    }
}
