package import AtriumKit

/// That something of a module did not end when it was stopped.
package struct OverdueError: ExplainedError {
    package let code: ErrorCode = "overdue"
    package let message: String
    package var category: ErrorCategory { .module }

    /// - Parameter what: What did not end.
    package init(_ what: String) {
        message = "\(what) did not end in time."
    }
}
