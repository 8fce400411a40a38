internal import AtriumKit

/// What came of one command.
struct Reply {
    /// The command as it was typed, without secrets.
    let command: String
    /// What is shown, or why it was not done.
    let outcome: Outcome
    /// Whether the host is to end.
    var endsSession = false

    /// How a command ended.
    enum Outcome {
        case done(Output)
        case failed(any ExplainedError)
    }

    /// What a command shows.
    struct Output {
        /// A sentence that says what was done.
        var message: String?
        /// What is shown below it.
        var content: Content?
    }
}
