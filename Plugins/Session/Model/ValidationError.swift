import AtriumKit

/// What was typed breaks rules; nothing was done.
struct ValidationError: ExplainedError {
    /// Every rule that is broken.
    let findings: [ValidationFinding]
    /// What the server said of it, where the rules are the server's; not compared.
    let cause: (any Error)?

    init(findings: [ValidationFinding], cause: (any Error)? = nil) {
        self.findings = findings
        self.cause = cause
    }

    var code: ErrorCode { .validation }
    var category: ErrorCategory { .validation }
    var message: String { findings.map(\.message).joined(separator: " ") }
}

extension ValidationError: Equatable {
    static func == (left: ValidationError, right: ValidationError) -> Bool {
        left.findings == right.findings
    }
}
