@_spi(Host) internal import AtriumKit

/// Makes the errors of the API client; all of their texts are in this folder.
enum APIErrors {
    static let again = "Enter the same command again."
    static let signIn = "session sign-in --email EMAIL"

    // MARK: - Calls of which no request can be made

    static func invalidPath(_ call: APICall) -> APIError {
        APIError(
            .invalidURL, "\(EndpointName(call)) can't be asked: a value of its path is missing or empty.",
            hint: "help")
    }

    static func invalidField(_ call: APICall) -> APIError {
        .requestFailed(
            .requestFailed,
            "\(EndpointName(call)) can't be asked: a header field has a line break or a control character.",
            hint: "help")
    }

    static func unencodable(_ call: APICall) -> APIError {
        .requestFailed(
            .requestFailed,
            "\(EndpointName(call)) can't be asked: what it should send can't be written as JSON.",
            hint: "help")
    }

    // MARK: - Tokens

    static func failure(_ failure: TokenMachine.Failure, _ name: EndpointName) -> APIError {
        switch failure {
        case .nobody: .notAuthenticated("\(name) needs somebody to be signed in.")
        case .changed: .notAuthenticated("\(name) was not sent: who was signed in no longer is.")
        case .refused: .notAuthenticated("\(name) was not sent: the server refuses the sign-in.")
        }
    }

    static let unknownGrant = APIError.requestFailed(
        .requestFailed, "This host can't sign in that way; it may be older than the module that asks.",
        hint: "modules")

    static func ended(cause: (any Error)?) -> APIError {
        .notAuthenticated("The sign-in has ended: the server no longer accepts it.", cause: cause)
    }

    static func notRenewed(_ error: APIError) -> APIError {
        APIError(
            error.code, "The sign-in could not be renewed. \(error.message)", hint: error.hint,
            cause: error.cause, status: error.status, problem: error.problem, errorCode: error.errorCode,
            retryAfter: error.retryAfter)
    }

    static func waitedTooLong(_ name: EndpointName, _ limit: Duration) -> APIError {
        .requestFailed(
            .timedOut, "\(name) was not sent: the sign-in was not renewed within \(seconds(limit)).",
            hint: again)
    }

    // MARK: - Words

    /// A length of time for a sentence: `15 seconds`, `0.5 seconds`.
    static func seconds(_ time: Duration) -> String {
        let tenths = (time.inMicroseconds + 99_999) / 100_000
        let text = tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        return text == "1" ? "1 second" : "\(text) seconds"
    }

    /// An amount of bytes for a sentence: `16 MiB`, `700 bytes`.
    static func bytes(_ count: Int) -> String {
        switch count {
        case (1 << 20)...: "\(count >> 20) MiB"
        case (1 << 10)...: "\(count >> 10) KiB"
        default: "\(count) bytes"
        }
    }

    /// A sentence of a server, with the full stop that it may lack.
    static func sentence(_ text: String) -> String {
        guard let last = text.last, !".!?".contains(last) else { return text }
        return text + "."
    }
}
