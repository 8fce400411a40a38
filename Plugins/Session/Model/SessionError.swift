import AtriumKit

/// Why a session could not be started or ended.
struct SessionError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let hint: String?

    private init(_ code: ErrorCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// The same for an unknown email and for a wrong password, so that nobody learns which emails have
    /// an account.
    static let invalidCredentials = SessionError(.invalidCredentials, "Email or password is wrong.")

    static func emailTaken(_ email: String) -> SessionError {
        SessionError(
            .emailTaken, "There is an account for '\(email)' already.",
            hint: "session sign-in --email \(email)")
    }

    static let notAuthenticated = SessionError(
        .notAuthenticated, "You are not signed in.", hint: "session sign-in --email EMAIL")

    static let hashingFailed = SessionError(
        .hashingFailed, "The password could not be hashed.", hint: "Hashing needs 64 MiB of memory.")

    /// What scenario `error` of the mock answers.
    static let unavailable = SessionError(
        .serviceUnavailable, "The session service does not answer.",
        hint: "modules.json sets \"scenario\" of module Session to \"error\".")
}

extension ErrorCode {
    /// Email or password is wrong.
    static let invalidCredentials: ErrorCode = "invalidCredentials"
    /// There is an account for the email already.
    static let emailTaken: ErrorCode = "emailTaken"
    /// A password could not be hashed.
    static let hashingFailed: ErrorCode = "hashingFailed"
    /// The service does not answer.
    static let serviceUnavailable: ErrorCode = "serviceUnavailable"
}
