import AtriumKit

/// What was typed breaks rules; nothing was done.
struct ValidationError: ExplainedError, Equatable {
    /// Every rule that is broken; at least one.
    let findings: [ValidationFinding]
    /// What the findings were made from, where another one checked.
    let cause: (any Error)?

    init(findings: [ValidationFinding], cause: (any Error)? = nil) {
        self.findings = findings
        self.cause = cause
    }

    /// Whether both have the same findings; their causes may differ.
    static func == (left: ValidationError, right: ValidationError) -> Bool {
        left.findings == right.findings
    }

    /// Throws where there are findings.
    static func check(_ findings: [ValidationFinding]) throws {
        guard findings.isEmpty else { throw ValidationError(findings: findings) }
    }

    var code: ErrorCode { .validation }
    var category: ErrorCategory { .validation }
    var message: String { findings.map(\.message).joined(separator: " ") }
}
