@_spi(Host) internal import AtriumKit

extension APIErrors {
    // MARK: - Answers that say that something is wrong

    /// An answer of another status than 200 to 299; `now` is for a `Retry-After` that is a date.
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
                .notAuthenticated, "\(name) was refused: the server wants somebody to sign in.\(why)",
                hint: signIn, cause: body.handler, status: 401, problem: problem)
        case 429:
            let time = wait.map { " for \(seconds($0))" } ?? ""
            return APIError(
                .rateLimited, "\(name) was refused: the server asks to wait\(time) before the next try.",
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

    /// An answer of status 200 whose body is an error nevertheless.
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
            .invalidGrant, "The server refuses what was given to sign in with.\(why)", hint: signIn,
            status: response.status)
    }

    // MARK: - Answers that are not what was asked for

    static func undecodable(_ name: EndpointName, _ what: String, status: Int) -> APIError {
        .invalidResponse("\(name) answered with something else than expected: \(what)", status: status)
    }

    static func wrongType(_ name: EndpointName, _ type: String, status: Int) -> APIError {
        undecodable(name, "\(type.prefix(80)) instead of JSON.", status: status)
    }

    static func wrongType(
        _ name: EndpointName, _ type: String, of accepted: AcceptedTypes, status: Int
    ) -> APIError {
        undecodable(name, "\(type.prefix(80)) instead of \(accepted).", status: status)
    }

    /// An answer without a body, or with a part of it, where a whole file was asked for.
    static func notWhole(_ name: EndpointName, status: Int) -> APIError {
        undecodable(name, "status \(status) instead of the whole.", status: status)
    }

    static func empty(_ name: EndpointName, status: Int) -> APIError {
        undecodable(name, "nothing instead of JSON.", status: status)
    }

    static func unusableTokens(_ name: EndpointName, status: Int) -> APIError {
        undecodable(name, "'access_token' can't be sent, or is of another type than Bearer.", status: status)
    }

    private static func what(_ body: ErrorBody) -> String {
        body.sentence.map { ": \($0)" } ?? "."
    }

    private static func hint(_ status: Int) -> String {
        status >= 500
            ? "Enter the same command again later, or see what the server answered with: api" : "api"
    }
}
