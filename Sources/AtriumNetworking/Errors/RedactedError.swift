internal import AtriumKit

/// An error of others, and what it was made from, without what must not be shown.
struct RedactedError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?
    let category: ErrorCategory

    /// How far causes are followed; an error may name itself as its cause.
    private static let depth = 8

    init(_ error: any ExplainedError, _ redact: Redactor) {
        self.init(error, redact, depth: Self.depth)
    }

    private init(_ error: any ExplainedError, _ redact: Redactor, depth: Int) {
        code = error.code
        message = redact(error.message)
        hint = redact(error.hint)
        category = error.category
        cause = (error.cause as? any ExplainedError).flatMap { inner in
            depth > 1 ? RedactedError(inner, redact, depth: depth - 1) : nil
        }
    }
}
