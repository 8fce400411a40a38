import AtriumKit

/// Nobody is signed in, or no longer, or somebody else.
struct AuthenticationError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let hint: String?

    static let notAuthenticated = AuthenticationError(
        code: .notAuthenticated, message: "You are not signed in.", hint: "session sign-in --email EMAIL")

    static let anotherAccount = AuthenticationError(
        code: .anotherAccount,
        message: "The form was made for another account than the signed-in one; nothing was submitted.",
        hint: "profile/edit")
}

extension ErrorCode {
    /// Another account is signed in than the one that something was made for.
    static let anotherAccount: ErrorCode = "anotherAccount"
}
