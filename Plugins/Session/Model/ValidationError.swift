import AtriumKit

/// What was typed breaks rules; nothing was done.
struct ValidationError: ExplainedError, Equatable {
    /// Every rule that is broken.
    let findings: [ValidationFinding]

    var code: ErrorCode { .validation }
    var category: ErrorCategory { .validation }
    var message: String { findings.map(\.message).joined(separator: " ") }
}
