import AtriumKit

/// A greeting for one name.
struct Greeting: Hashable, Sendable {
    let text: String
}

/// The reason that a greeting failed.
struct GreetingError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let category: ErrorCategory

    static let noName = GreetingError(
        code: .validation, message: "A name is needed to greet somebody.", category: .validation)
    static let unavailable = GreetingError(
        code: .serviceUnavailable, message: "The greeting service does not answer.", category: .failure)
}
