/// Sends requests over HTTP, and nothing more: no tokens, no retries, no cache, no redirects to other hosts.
///
/// A module provides it as infrastructure, see ``ModuleRegistry/infrastructure(_:_:)``.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the whole answer, of whatever status.
    ///
    /// Cancelling the calling task ends the exchange and throws `CancellationError`.
    ///
    /// - Throws: ``TransportError``; among them `answerTooLarge` as soon as more bytes arrive than the
    ///   request allows.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Sends a request and streams the body of an answer of status 200 to 299 into a file.
    ///
    /// The file is there only once the whole body is: a failure leaves what was at `path` before. The body of
    /// any other status is in the answer, as ``send(_:)`` gives it.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - path: The file; one that is there is replaced.
    ///   - progress: Told how many bytes arrived, and how many there will be where the server said so.
    /// - Returns: The answer, without its body where that is in the file.
    /// - Throws: ``TransportError``.
    func download(
        _ request: HTTPRequest, to path: String, progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> HTTPResponse
}

/// How far a transfer is.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes so far.
    public let received: Int64
    /// Bytes in all; nil where the server does not say.
    public let expected: Int64?

    public init(received: Int64, expected: Int64?) {
        self.received = received
        self.expected = expected
    }
}

/// Why there is no answer, or not a whole one.
public struct TransportError: ExplainedError, Hashable {
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    /// Whether the request can't have reached the server, so that sending it again does nothing twice.
    public let neverSent: Bool

    public init(_ code: ErrorCode, _ message: String, hint: String? = nil, neverSent: Bool = false) {
        self.code = code
        self.message = message
        self.hint = hint
        self.neverSent = neverSent
    }
}

extension ErrorCode {
    /// No connection to the server can be made: nobody listens there, or its name is not known.
    public static let serverUnreachable: ErrorCode = "serverUnreachable"
    /// The connection ended before the answer did.
    public static let connectionLost: ErrorCode = "connectionLost"
    /// The server's certificate is not trusted, or TLS could not be agreed on.
    public static let tlsRefused: ErrorCode = "tlsRefused"
    /// An answer took longer than allowed.
    public static let timedOut: ErrorCode = "timedOut"
    /// An answer has more bytes than allowed.
    public static let answerTooLarge: ErrorCode = "answerTooLarge"
    /// A URL that can't be asked.
    public static let invalidURL: ErrorCode = "invalidURL"
    /// What came is no answer over HTTP, or not the one that was asked for.
    public static let invalidResponse: ErrorCode = "invalidResponse"
}
