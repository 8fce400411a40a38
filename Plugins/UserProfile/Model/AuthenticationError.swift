import AtriumKit

/// Nobody is signed in, or no longer, or somebody else.
struct AuthenticationError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    /// What the layer below said; not compared.
    var cause: (any Error)?

    static let notAuthenticated = AuthenticationError(
        code: .notAuthenticated, message: "You are not signed in.", hint: "session sign-in --email EMAIL")

    static let anotherAccount = AuthenticationError(
        code: .anotherAccount,
        message: "The form was made for another account than the signed-in one; nothing was submitted.",
        hint: "profile/edit")

    /// The same error, with what it was made from.
    func because(of cause: any Error) -> AuthenticationError {
        var error = self
        error.cause = cause
        return error
    }
}

extension AuthenticationError: Equatable {
    static func == (left: AuthenticationError, right: AuthenticationError) -> Bool {
        (left.code, left.message) == (right.code, right.message) && left.hint == right.hint
    }
}

extension ErrorCode {
    /// Another account is signed in than the one that something was made for.
    static let anotherAccount: ErrorCode = "anotherAccount"
}
