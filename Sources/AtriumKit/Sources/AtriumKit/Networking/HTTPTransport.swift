/// A sender of HTTP requests, and nothing more: no tokens, no retries, no cache.
///
/// It sends a change at most once, follows the redirects of a read, without credentials to other servers, and
/// those of a change only within its server.
///
/// A module provides it as infrastructure, see ``ModuleRegistry`` and its `infrastructure`.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer, of whatever status; throws ``TransportError``, with
    /// code `answerTooLarge` as soon as the request's limit is exceeded, or `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Sends a request and streams the body of an answer of status 200 to 299 into a file.
    ///
    /// The file appears once the body is complete; a failure leaves the former one. The body of another
    /// status is in the answer, as for ``send(_:)``.
    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse
}

/// The progress of a transfer.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes received so far.
    public let received: Int64
    /// The bytes in total; nil if the server does not say.
    public let expected: Int64?

    /// Creates a progress; both are counts of bytes, and `expected` is nil if the server does not say.
    public init(received: Int64, expected: Int64?) {
        self.received = received
        self.expected = expected
    }
}

/// The reason that there is no complete answer.
public struct TransportError: ExplainedError, Hashable {
    /// A code such as `serverUnreachable`, `connectionLost`, `tlsRefused` or `timedOut`.
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    /// True if the request can't have reached the server, so that a retry is safe.
    public let neverSent: Bool

    /// Creates an error; `neverSent` only if the request can't have reached the server.
    public init(_ code: ErrorCode, _ message: String, hint: String? = nil, neverSent: Bool = false) {
        self.code = code
        self.message = message
        self.hint = hint
        self.neverSent = neverSent
    }
}

extension ErrorCode {
    /// The server can't be reached: nothing listens there, or its name is unknown.
    public static let serverUnreachable: ErrorCode = "serverUnreachable"
    /// The connection ended before the answer did.
    public static let connectionLost: ErrorCode = "connectionLost"
    /// The server's certificate is not trusted, or there is no common version of TLS.
    public static let tlsRefused: ErrorCode = "tlsRefused"
    /// An answer took longer than allowed.
    public static let timedOut: ErrorCode = "timedOut"
    /// An answer has more bytes than allowed.
    public static let answerTooLarge: ErrorCode = "answerTooLarge"
    /// The server redirects to a place where the request is not sent.
    public static let redirected: ErrorCode = "redirected"
    /// A URL that is not valid.
    public static let invalidURL: ErrorCode = "invalidURL"
    /// The answer is not valid HTTP, or not what was requested.
    public static let invalidResponse: ErrorCode = "invalidResponse"
}
