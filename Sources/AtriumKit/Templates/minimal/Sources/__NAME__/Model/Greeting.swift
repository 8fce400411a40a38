import AtriumKit

/// What is said to somebody.
struct Greeting: Hashable, Sendable {
    let text: String
}

/// Why nobody can be greeted.
struct GreetingError: ExplainedError {
    let code: ErrorCode = .validation
    let message: String
    var category: ErrorCategory { .validation }
}
