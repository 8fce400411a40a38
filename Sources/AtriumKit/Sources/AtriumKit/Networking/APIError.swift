/// The reason that a request to the server's API failed.
public struct APIError: ExplainedError {
    /// A code such as `timedOut`, `serverError`, `rateLimited` or `notAuthenticated`.
    public let code: ErrorCode
    public private(set) var message: String
    public let hint: String?
    public let cause: (any Error)?
    /// The HTTP status of the answer; nil without an answer.
    public let status: Int?
    /// The server's description of the problem (RFC 9457).
    public let problem: ProblemDetails?
    /// The server's own error number, if it is not 0.
    public let errorCode: Int?
    /// The time that the server asks to wait before a retry.
    public let retryAfter: Duration?
    /// The server's answer; nil if there was none.
    public private(set) var answer: Answer?
    /// The outcome of the requested change as the client determined it; nil until then.
    private(set) var settledOutcome: ChangeOutcome?

    /// An answer that is an error, for a module that knows its server better than the kit.
    public struct Answer: Sendable, Hashable {
        /// Its header fields; the values of credentials are `(hidden)`.
        public let fields: HTTPFields
        /// Its body, at most the first 16 KiB; secrets of the request and of the body are `(hidden)`.
        public let body: String

        public init(fields: HTTPFields = [:], body: String = "") {
            self.fields = fields
            self.body = body
        }
    }

    @_spi(Host) public init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil,
        status: Int? = nil, problem: ProblemDetails? = nil, errorCode: Int? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
        self.status = status
        self.problem = problem
        self.errorCode = errorCode
        self.retryAfter = retryAfter
    }

    /// Returns the same error with the server's answer.
    @_spi(Host) public func answered(_ answer: Answer?) -> APIError {
        var copy = self
        copy.answer = answer
        return copy
    }

    /// Returns the same error with the outcome of its change, unless one is set already.
    @_spi(Host) public func settled(_ outcome: ChangeOutcome) -> APIError {
        var copy = self
        copy.settledOutcome = settledOutcome ?? outcome
        return copy
    }

    /// `cancelled` for code `cancelled`, else `failure`.
    public var category: ErrorCategory { code == .cancelled ? .cancelled : .failure }

    /// Returns the same error with `sentence` after its message.
    @_spi(Host) public func adding(_ sentence: String) -> APIError {
        var copy = self
        copy.message += " \(sentence)"
        return copy
    }

    /// True if the server is unreachable or unavailable for now, so that a stale answer may be shown; false
    /// if it is not trusted, which does not resolve on its own.
    public var isOffline: Bool {
        [.serverUnreachable, .connectionLost, .timedOut].contains(code)
            || status.map { [502, 503, 504].contains($0) } ?? false
    }

    // MARK: - Kinds

    /// The base URL or the pattern does not form a valid URL.
    public static func invalidURL(_ url: String) -> APIError {
        APIError(
            .invalidURL, "'\(url)' is not the URL of a server.",
            hint: "Set \"api\": { \"url\": \"http://…\" } in modules.json.")
    }

    /// The answer does not fit the endpoint.
    public static func invalidResponse(_ what: String, status: Int?, cause: (any Error)? = nil) -> APIError {
        APIError(.invalidResponse, what, hint: "api", cause: cause, status: status)
    }

    /// The request got no answer.
    public static func requestFailed(
        _ code: ErrorCode, _ what: String, hint: String? = nil, cause: (any Error)? = nil
    ) -> APIError {
        APIError(code, what, hint: hint, cause: cause)
    }

    /// The server answered with an error.
    public static func serverError(
        code: Int, message: String, hint: String? = nil, cause: (any Error)? = nil, status: Int,
        problem: ProblemDetails? = nil, retryAfter: Duration? = nil
    ) -> APIError {
        APIError(
            .serverError, message, hint: hint, cause: cause, status: status, problem: problem,
            errorCode: code == status ? nil : code, retryAfter: retryAfter)
    }

    /// No user is signed in, or the sign-in has ended.
    public static func notAuthenticated(_ what: String, cause: (any Error)? = nil) -> APIError {
        APIError(.notAuthenticated, what, hint: "session sign-in --email EMAIL", cause: cause)
    }

    /// No URL is configured for a named API.
    @_spi(Host) public static func noServer(_ name: String) -> APIError {
        APIError(
            .noServer, "No server is configured for API '\(name)' in environment live.",
            hint: "Set \"apis\": { \"\(name)\": { \"url\": \"http://…\" } } in modules.json.")
    }

    /// No server is configured.
    public static let noServer = APIError(
        .noServer, "No server is configured for environment live.",
        hint:
            "Set \"api\": { \"url\": \"http://127.0.0.1:8787\" } in modules.json, and start one: make server")
}

extension ErrorCode {
    /// A request got no answer, for a reason without a more specific code.
    public static let requestFailed: ErrorCode = "requestFailed"
    /// The server answered with an error.
    public static let serverError: ErrorCode = "serverError"
    /// The server asks to wait.
    public static let rateLimited: ErrorCode = "rateLimited"
    /// The server refuses the credentials.
    public static let invalidGrant: ErrorCode = "invalidGrant"
    /// No server is configured.
    public static let noServer: ErrorCode = "noServer"
}
