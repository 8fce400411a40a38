@_spi(Host) internal import AtriumKit
internal import Glibc

/// Makes the errors of the API client.
enum APIErrors {
    static let again = "Enter the same command again."
    static let signIn = "session sign-in --email EMAIL"

    // MARK: - Invalid calls

    static func invalidPath(_ call: APICall) -> APIError {
        APIError(
            .invalidURL, "\(EndpointName(call)) can't be called: a value of its path is missing or empty.",
            hint: "help")
    }

    static func invalidField(_ call: APICall) -> APIError {
        .requestFailed(
            .requestFailed,
            "\(EndpointName(call)) can't be called: a header field has a line break or a control character.",
            hint: "help")
    }

    static func unencodable(_ call: APICall) -> APIError {
        .requestFailed(
            .requestFailed,
            "\(EndpointName(call)) can't be called: its body can't be encoded as JSON.",
            hint: "help")
    }

    // MARK: - Tokens

    static func failure(_ failure: CurrentTokens.Failure, _ name: EndpointName) -> APIError {
        switch failure {
        case .notSignedIn: .notAuthenticated("\(name) requires a sign-in.")
        case .signInChanged: .notAuthenticated("\(name) was not sent: the sign-in has changed.")
        case .refused: .notAuthenticated("\(name) was not sent: the server refuses the sign-in.")
        }
    }

    static let unknownGrant = APIError.requestFailed(
        .requestFailed, "This host does not support this kind of sign-in; it may be older than the module.",
        hint: "modules")

    static func ended(cause: (any Error)?) -> APIError {
        .notAuthenticated("The sign-in has ended: the server no longer accepts it.", cause: cause)
    }

    static func notRefreshed(_ error: APIError) -> APIError {
        APIError(
            error.code, "The sign-in could not be renewed. \(error.message)", hint: error.hint,
            cause: error.cause, status: error.status, problem: error.problem, errorCode: error.errorCode,
            retryAfter: error.retryAfter)
    }

    static func refreshTimedOut(_ name: EndpointName, _ limit: Duration) -> APIError {
        .requestFailed(
            .timedOut, "\(name) was not sent: the sign-in was not renewed within \(seconds(limit)).",
            hint: again)
    }

    // MARK: - Text

    /// `15 seconds`, `0.5 seconds`.
    static func seconds(_ time: Duration) -> String {
        let tenths = (time.inMicroseconds + 99_999) / 100_000
        let text = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return text == "1" ? "1 second" : "\(text) seconds"
    }

    /// `16 MiB`, `700 bytes`.
    static func bytes(_ count: Int) -> String {
        switch count {
        case (1 << 20)...: "\(count >> 20) MiB"
        case (1 << 10)...: "\(count >> 10) KiB"
        default: "\(count) bytes"
        }
    }

    /// Adds the full stop that a server's sentence may lack.
    static func sentence(_ text: String) -> String {
        guard let last = text.last, !".!?".contains(last) else { return text }
        return text + "."
    }

    static func transport(_ error: TransportError, _ plan: RequestPlan, origin: String) -> APIError {
        let (what, hint) = texts(error, plan, origin)
        let code = known.contains(error.code) ? error.code : .requestFailed
        return .requestFailed(
            code, "\(plan.name) failed: \(what)", hint: isInDoubt(error, plan) ? hint : error.hint ?? hint,
            cause: error)
    }

    static func noTransport(_ error: any Error, _ plan: RequestPlan) -> APIError {
        let explained = error as? any ExplainedError
        return .requestFailed(
            explained?.code ?? .requestFailed,
            "\(plan.name) failed: \(explained?.message ?? "no transport is available.")",
            hint: explained?.hint ?? "modules", cause: error)
    }

    /// A transport failed with an error of its own kind, or cancelled by itself.
    static func unknown(_ error: any Error, _ plan: RequestPlan, redact: Redactor) -> APIError {
        let explained = (error as? any ExplainedError).map { RedactedError($0, redact) }
        let why = explained?.message ?? "the transport gave no reason."
        return .requestFailed(
            explained?.code ?? .requestFailed, "\(plan.name) failed: \(why)", hint: explained?.hint ?? again,
            cause: explained)
    }

    static func fileNotWritten(_ path: String, _ error: CInt) -> APIError {
        .requestFailed(
            "fileUnwritable", "'\(path)' can't be written: \(String(cString: strerror(error))).",
            hint: "Make room, or name another file.")
    }

    static func timedOut(_ plan: RequestPlan, origin: String) -> APIError {
        transport(
            TransportError(.timedOut, "The time limit for all attempts has passed."), plan, origin: origin)
    }

    private static let known: [ErrorCode] = [
        .serverUnreachable, .connectionLost, .timedOut, .tlsRefused, .answerTooLarge, .invalidURL,
        .invalidResponse,
    ]

    private static func texts(
        _ error: TransportError, _ plan: RequestPlan, _ origin: String
    ) -> (what: String, hint: String) {
        switch error.code {
        case .serverUnreachable:
            (
                "the server at \(origin) can't be reached.",
                "Start the server, then enter the same command again."
            )
        case .connectionLost:
            (
                "the connection to \(origin) ended before the answer did.\(doubt(error, plan))",
                hint(error, plan)
            )
        case .timedOut:
            (
                "the server at \(origin) did not answer within \(seconds(plan.timeLimit)).\(doubt(error, plan))",
                hint(error, plan)
            )
        case .tlsRefused:
            (error.message, "api")
        case .answerTooLarge:
            ("the answer has more than \(bytes(plan.request.answerLimit)).", "api")
        default:
            (error.message, again)
        }
    }

    /// Whether a change may have been made although there was no response.
    private static func isInDoubt(_ error: TransportError, _ plan: RequestPlan) -> Bool {
        !error.neverSent && !plan.call.method.isSafe && plan.repetition != .safe
    }

    private static func doubt(_ error: TransportError, _ plan: RequestPlan) -> String {
        isInDoubt(error, plan) ? " It is unknown whether the request was performed." : ""
    }

    private static func hint(_ error: TransportError, _ plan: RequestPlan) -> String {
        isInDoubt(error, plan)
            ? "Check whether it was performed before you enter the same command again." : again
    }

    // MARK: - Error responses

    /// A status other than 200 to 299; `now` is for a `Retry-After` that is a date.
    static func status(
        _ response: HTTPResponse, _ name: EndpointName, now: Timestamp, redact: Redactor
    ) -> APIError {
        let body = ErrorBody(response, redact: redact)
        let wait = RetryAfter.duration(response.fields, now: now)
        let problem = body.problem
        switch response.status {
        case 401:
            let why = body.sentence.map { " \($0)" } ?? ""
            return APIError(
                .notAuthenticated, "\(name) was refused: the server requires a sign-in.\(why)",
                hint: signIn, cause: body.handler, status: 401, problem: problem)
        case 429:
            let time = wait.map { " for \(seconds($0))" } ?? ""
            return APIError(
                .rateLimited, "\(name) was refused: too many requests; the server asks to wait\(time).",
                hint: "Wait, then enter the same command again.", cause: body.handler, status: 429,
                problem: problem, retryAfter: wait)
        default:
            return .serverError(
                code: body.handler?.errorCode ?? response.status,
                message: "\(name) was answered with status \(response.status)" + what(body),
                hint: hint(response.status), cause: body.handler, status: response.status, problem: problem,
                retryAfter: wait)
        }
    }

    /// A status 200 whose body is an error.
    static func handled(_ handler: ResponseErrorHandler, _ name: EndpointName) -> APIError {
        let text = handler.errorMsg.isEmpty ? "" : " \(sentence(handler.errorMsg))"
        return .serverError(
            code: handler.errorCode,
            message: "\(name) was answered with error \(handler.errorCode).\(text)", hint: "api",
            cause: handler, status: handler.statusCode ?? 200)
    }

    /// An error of the token endpoint (RFC 6749, 5.2).
    static func grant(_ response: HTTPResponse, _ name: EndpointName, redact: Redactor) -> APIError? {
        let body = ErrorBody(response, redact: redact)
        guard body.oauth == "invalid_grant" else { return nil }
        let why = body.sentence.map { " \($0)" } ?? ""
        return APIError(
            .invalidGrant, "The server refuses the credentials.\(why)", hint: signIn,
            status: response.status)
    }

    // MARK: - Invalid responses

    static func undecodable(_ name: EndpointName, _ what: String, status: Int) -> APIError {
        .invalidResponse("\(name) returned an invalid response: \(what)", status: status)
    }

    static func wrongType(_ name: EndpointName, _ type: String, status: Int) -> APIError {
        undecodable(name, "\(type.prefix(80)) instead of JSON.", status: status)
    }

    static func wrongType(
        _ name: EndpointName, _ type: String, of accepted: AcceptedTypes, status: Int
    ) -> APIError {
        undecodable(name, "\(type.prefix(80)) instead of \(accepted).", status: status)
    }

    /// A response without a body, or with a part of it, instead of a whole file.
    static func notWhole(_ name: EndpointName, status: Int) -> APIError {
        undecodable(name, "status \(status) instead of the whole file.", status: status)
    }

    static func empty(_ name: EndpointName, status: Int) -> APIError {
        undecodable(name, "an empty body instead of JSON.", status: status)
    }

    static func unusableTokens(_ name: EndpointName, status: Int) -> APIError {
        undecodable(name, "'access_token' is not a valid bearer token.", status: status)
    }

    private static func what(_ body: ErrorBody) -> String {
        body.sentence.map { ": \($0)" } ?? "."
    }

    private static func hint(_ status: Int) -> String {
        status >= 500
            ? "Enter the same command again later, or see the server's responses with: api" : "api"
    }
}
