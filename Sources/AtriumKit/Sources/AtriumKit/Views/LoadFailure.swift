/// Why something could not be loaded, as a screen tells it.
public struct LoadFailure: Sendable, Equatable {
    /// What programs match on.
    public let code: ErrorCode
    /// One sentence that names who and what.
    public let message: String
    /// A next step, a command that can be typed where there is one.
    public let hint: String?

    /// The explanation of `error`; one that tells its type where it does not explain itself.
    public init(_ error: any Error) {
        if let error = error as? any ExplainedError {
            self.init(code: error.code, message: error.message, hint: error.hint)
        } else if error is CancellationError {
            self.init(code: .cancelled, message: "Loading was cancelled.", hint: nil)
        } else {
            self.init(
                code: .unexpected, message: "An unexpected error of type '\(type(of: error))' occurred.",
                hint: nil)
        }
    }

    private init(code: ErrorCode, message: String, hint: String?) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
