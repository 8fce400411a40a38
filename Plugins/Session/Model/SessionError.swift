import AtriumKit

extension ServiceError {
    /// The same for an unknown email and a wrong password, so as not to reveal which emails have accounts.
    static let invalidCredentials = ServiceError("invalidCredentials", "Email or password is wrong.")

    static func emailTaken(_ email: String) -> ServiceError {
        ServiceError(
            "emailTaken", "There is an account for '\(email)' already.",
            hint: "session sign-in --email \(email)")
    }

    /// Status 401 where no user is signed in: the server refuses this host, by its client or its key.
    static func hostRefused(_ what: String, _ error: APIError) -> ServiceError {
        ServiceError(
            error.code, "\(what): \(error.message)", hint: "api", category: error.category, cause: error)
    }

    static let hashingFailed = ServiceError(
        "hashingFailed", "The password could not be hashed.", hint: "Hashing needs 64 MiB of memory.")

    /// The account of a sign-up was created, but the sign-in failed.
    static func signUpUnfinished(_ email: String, cause: any Error) -> ServiceError {
        ServiceError(
            "signUpUnfinished", "The account for '\(email)' was created, but you could not be signed in.",
            hint: "session sign-in --email \(email)", category: cause.causedCategory, cause: cause)
    }

    // MARK: - Steps of a sign-up

    static let accountNeeded = ServiceError(
        .notAuthenticated, "You are not signed in yet.", hint: "account --email EMAIL")

    static let profileNeeded = ServiceError(
        "profileNeeded", "Your profile has no name yet.", hint: "edit   or   skip")

    static let noProfileForm = ServiceError(
        "noProfileForm",
        "No module has a form for your profile: the link '\(SignUpStep.profileForm)' is unknown.",
        hint: "skip")

    static let personChanged = ServiceError(
        "personChanged", "Another person is signed in now; the sign-up is back at its first step.",
        hint: "next   or   account --email EMAIL")
}
