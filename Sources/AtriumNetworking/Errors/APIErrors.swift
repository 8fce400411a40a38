@_spi(Host) internal import AtriumKit
internal import Glibc

/// Makes the errors of the API client.
enum APIErrors {
    static let again = "Enter the same command again."

    // MARK: - Invalid calls

    static func invalidPath(_ call: APICall) -> APIError {
        invalidCall(call, .invalidURL, "a value of its path is missing or empty")
    }

    static func invalidField(_ call: APICall) -> APIError {
        invalidCall(call, .requestFailed, "a header field has a line break or a control character")
    }

    static func unencodable(_ call: APICall) -> APIError {
        invalidCall(call, .requestFailed, "its body can't be encoded as JSON")
    }

    static func inSandbox(_ call: APICall) -> APIError {
        APIError(
            "notAllowed", "\(EndpointName(call)) was not sent: this sandbox changes nothing on the server.",
            hint: "Start it with: atrium --sandbox --allow changes")
    }

    private static func invalidCall(_ call: APICall, _ code: ErrorCode, _ why: String) -> APIError {
        APIError(code, "\(EndpointName(call)) can't be called: \(why).", hint: "help")
    }

    // MARK: - Tokens

    static func failure(
        _ failure: CurrentTokens.Failure, _ name: EndpointName, signIn: String?
    ) -> APIError {
        let what =
            switch failure {
            case .notSignedIn: "\(name) requires a sign-in."
            case .signInChanged: "\(name) was not sent: the sign-in has changed."
            case .refused: "\(name) was not sent: the server refuses the sign-in."
            }
        return APIError(.notAuthenticated, what, hint: signIn)
    }

    static let unknownGrant = APIError(
        .requestFailed, "This host does not support this kind of sign-in; it may be older than the module.",
        hint: "modules")

    static func ended(cause: (any Error)?, signIn: String?) -> APIError {
        APIError(
            .notAuthenticated, "The sign-in has ended: the server no longer accepts it.", hint: signIn,
            cause: cause)
    }

    static func notRefreshed(_ error: APIError) -> APIError {
        APIError(
            error.code, "The sign-in could not be renewed. \(error.message)", hint: error.hint,
            cause: error.cause, status: error.status, problem: error.problem, errorCode: error.errorCode,
            retryAfter: error.retryAfter
        ).answered(error.answer)
    }

    static func refreshTimedOut(_ name: EndpointName, _ limit: Duration) -> APIError {
        APIError(
            .timedOut, "\(name) was not sent: the sign-in was not renewed within \(seconds(limit)).",
            hint: again)
    }

    // MARK: - Text

    static func seconds(_ time: Duration) -> String {
        let tenths = time.wholeMicroseconds.addingClamped(99_999) / 100_000
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

    /// Adds that a change was not sent again for want of an idempotency key.
    static func withoutKey(_ error: APIError) -> APIError {
        error.adding("It was not sent again, because this API takes no idempotency key.")
    }

    // MARK: - No response

    static func transport(_ error: TransportError, _ plan: RequestPlan, origin: String) -> APIError {
        // True if a change may have been made although there was no response.
        let isInDoubt = !error.neverSent && plan.isChange
        let doubt = isInDoubt ? " \(unknown)" : ""
        var code = error.code
        let (what, hint): (String, String)
        switch error.code {
        case .serverUnreachable:
            what = "the server at \(origin) can't be reached."
            hint = "Start the server, then enter the same command again."
        case .connectionLost:
            (what, hint) = ("the connection to \(origin) ended before the answer did.\(doubt)", again)
        case .timedOut:
            what = "the server at \(origin) did not answer within \(seconds(plan.timeLimit)).\(doubt)"
            hint = again
        case .answerTooLarge:
            (what, hint) = ("the answer has more than \(bytes(plan.request.answerLimit)).", "api")
        case .tlsRefused: (what, hint) = (error.message, "api")
        case .invalidURL, .invalidResponse, .redirected: (what, hint) = (error.message + doubt, again)
        default: (code, what, hint) = (.requestFailed, error.message + doubt, again)
        }
        return APIError(
            code, "\(plan.name) failed: \(what)", hint: isInDoubt ? check : error.hint ?? hint, cause: error)
    }

    /// A change was sent before its call was cancelled.
    static func cancelled(_ plan: RequestPlan) -> APIError {
        APIError(.cancelled, "\(plan.name) was cancelled after it was sent. \(unknown)", hint: check)
            .settled(.unknown)
    }

    /// A change was made, and the server shows its result elsewhere.
    static func resultElsewhere(_ name: EndpointName) -> APIError {
        APIError(.redirected, "\(name) was performed; the server shows its result elsewhere.", status: 303)
            .settled(.made)
    }

    private static let unknown = "It is not known whether the request was performed."
    private static let check = "Check whether it was performed before you enter the same command again."

    /// The error of an attempt that may have been performed.
    static func inDoubt(_ error: APIError) -> APIError {
        error.message.contains(unknown) ? error : error.adding(unknown)
    }

    /// An attempt may have been performed, and the answer to a later one leaves that open.
    static func unknown(_ doubt: APIError, later: APIError) -> APIError {
        APIError(
            doubt.code, inDoubt(doubt).message, hint: check,
            cause: later.message == doubt.message ? doubt.cause : later,
            status: doubt.status)
    }

    static func timedOut(_ plan: RequestPlan, origin: String) -> APIError {
        let error = TransportError(.timedOut, "The time limit for all attempts has passed.")
        return transport(error, plan, origin: origin)
    }

    /// There is no transport, or it failed with an unrelated error or cancelled on its own.
    static func failed(
        _ plan: RequestPlan, _ cause: (any ExplainedError)?, otherwise reason: String, hint: String
    ) -> APIError {
        APIError(
            cause?.code ?? .requestFailed, "\(plan.name) failed: \(cause?.message ?? reason)",
            hint: cause?.hint ?? hint, cause: cause)
    }

    static func fileNotWritten(_ path: String, _ error: CInt) -> APIError {
        APIError(
            .fileUnwritable, "'\(path)' can't be written: \(String(cString: strerror(error))).",
            hint: "Make room, or name another file.")
    }

    // MARK: - Error responses

    /// A status other than 200 to 299; `now` is for a `Retry-After` that is a date.
    static func status(
        _ response: HTTPResponse, _ body: ErrorBody, _ name: EndpointName, now: Timestamp, signIn: String?
    ) -> APIError {
        let wait = HTTPDate.retryAfter(response.fields, now: now)
        let problem = body.problem
        switch response.status {
        // Otherwise the client was refused, not the user.
        case 401 where body.oauth == nil:
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

    /// An error of a token endpoint (RFC 6749, 5.2).
    static func grant(_ response: HTTPResponse, _ body: ErrorBody, signIn: String?) -> APIError {
        let why = body.sentence.map { " \($0)" } ?? ""
        return APIError(
            .invalidGrant, "The server refuses the credentials.\(why)", hint: signIn,
            status: response.status)
    }

    // MARK: - Invalid responses

    static func undecodable(_ name: EndpointName, _ what: String, status: Int) -> APIError {
        .invalidResponse("\(name) returned an invalid response: \(what)", status: status)
    }

    private static func what(_ body: ErrorBody) -> String {
        body.sentence.map { ": \($0)" } ?? "."
    }

    private static func hint(_ status: Int) -> String {
        status >= 500
            ? "Enter the same command again later, or see the server's responses with: api" : "api"
    }
}
