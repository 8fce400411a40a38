internal import AtriumKit

/// The result of a command.
struct Reply {
    /// Without secrets.
    let command: String
    let outcome: Outcome
    var endsSession = false

    enum Outcome {
        case done(Output)
        case failed(any ExplainedError)
    }

    struct Output {
        var message: String?
        var content: Content?
    }
}

/// An error with details, printed like a result before it; its member `details` in JSON.
protocol DetailedError: ExplainedError {
    var details: Content { get }
}

/// An error of a type that does not explain itself.
struct UnexplainedError: ExplainedError {
    let code: ErrorCode
    let message: String
    let hint: String?
    let cause: (any Error)?
    let category: ErrorCategory

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
