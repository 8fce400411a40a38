import AtriumKit

/// Why a session could not be started or ended.
struct SessionError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    /// What the layer below said; not compared.
    let cause: (any Error)?

    private init(_ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    /// The same error, with what it was made from.
    func because(of cause: any Error) -> SessionError {
        SessionError(code, message, hint: hint, cause: cause)
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
        hint: "mock set SessionService success")

    /// The account of a sign-up is there, but nobody could be signed in to it.
    static func signUpUnfinished(_ email: String, cause: any Error) -> SessionError {
        SessionError(
            .signUpUnfinished, "The account for '\(email)' was created, but you could not be signed in.",
            hint: "session sign-in --email \(email)", cause: cause)
    }

    /// The server could not do something.
    ///
    /// - Parameters:
    ///   - what: What could not be done, as the beginning of a sentence: "You could not be signed in".
    ///   - cause: Why, in the words of the API.
    /// - Returns: The error, with the cause in it.
    static func failed(_ what: String, cause: APIError) -> SessionError {
        SessionError(
            cause.isOffline ? .serviceUnavailable : cause.code, "\(what): \(cause.message)",
            hint: cause.hint, cause: cause)
    }
}

extension SessionError: Equatable {
    static func == (left: SessionError, right: SessionError) -> Bool {
        (left.code, left.message) == (right.code, right.message) && left.hint == right.hint
    }
}

// MARK: - Signing up, step by step

extension SessionError {
    /// The step `account` of a sign-up is not done.
    static let accountNeeded = SessionError(
        .notAuthenticated, "You are not signed in yet.", hint: "account --email EMAIL")

    /// The step `profile` of a sign-up is not done.
    static let profileNeeded = SessionError(
        .profileNeeded, "Your profile has no name yet.", hint: "edit   or   skip")

    /// Nobody has the form in which the step `profile` of a sign-up is done.
    static let noProfileForm = SessionError(
        .noProfileForm,
        "No module has a form for your profile: nobody has the link '\(SignUpFlow.profileForm)'.",
        hint: "skip")

    /// The person of a sign-up has signed out, or somebody else has signed in.
    static let personChanged = SessionError(
        .personChanged, "Who is signed in has changed; the sign-up is at its first step again.",
        hint: "next   or   account --email EMAIL")
}

extension ErrorCode {
    /// Email or password is wrong.
    static let invalidCredentials: ErrorCode = "invalidCredentials"
    /// There is an account for the email already.
    static let emailTaken: ErrorCode = "emailTaken"
    /// An account was created, but nobody is signed in to it.
    static let signUpUnfinished: ErrorCode = "signUpUnfinished"
    /// A profile without a name.
    static let profileNeeded: ErrorCode = "profileNeeded"
    /// What the host says of a link that no module has.
    static let unknownLink: ErrorCode = "unknownLink"
    /// No module has a form for profiles.
    static let noProfileForm: ErrorCode = "noProfileForm"
    /// Another person is signed in than before, or nobody.
    static let personChanged: ErrorCode = "personChanged"
    /// A password could not be hashed.
    static let hashingFailed: ErrorCode = "hashingFailed"
    /// The service does not answer.
    static let serviceUnavailable: ErrorCode = "serviceUnavailable"
}
