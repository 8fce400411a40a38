import AtriumKit

/// Nobody is signed in, or no longer.
struct AuthenticationError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let hint: String?

    static let notAuthenticated = AuthenticationError(
        code: .notAuthenticated, message: "You are not signed in.", hint: "session sign-in --email EMAIL")
}
