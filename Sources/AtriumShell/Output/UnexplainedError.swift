internal import AtriumKit

/// An error that does not explain itself, told without the internals of the Swift runtime.
struct UnexplainedError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?
    let category: ErrorCategory

    /// The error itself where it explains itself, else one that says what is known.
    static func explain(_ error: any Error) -> any ExplainedError {
        if let explained = error as? any ExplainedError { return explained }
        if error is CancellationError {
            return UnexplainedError(
                code: .cancelled, message: "The command was cancelled.", hint: nil, cause: error,
                category: .cancelled)
        }
        return UnexplainedError(
            code: .unexpected, message: "An unexpected error of type '\(type(of: error))' occurred.",
            hint: "This is a defect of the module that did it; report it to its author.", cause: error,
            category: .failure)
    }
}
