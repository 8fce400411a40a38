internal import AtriumKit

/// An error with more to show than a sentence: printed like a result before the error itself, and as its
/// member `details` for programs.
protocol DetailedError: ExplainedError {
    var details: Content { get }
}
