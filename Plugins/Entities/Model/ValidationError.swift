import AtriumKit

/// What was typed breaks rules; nothing was done.
struct ValidationError: ExplainedError, Equatable {
    /// Every rule that is broken; at least one.
    let findings: [ValidationFinding]

    /// Throws where there are findings.
    static func check(_ findings: [ValidationFinding]) throws {
        guard findings.isEmpty else { throw ValidationError(findings: findings) }
    }

    var code: ErrorCode { .validation }
    var category: ErrorCategory { .validation }
    var message: String { findings.map(\.message).joined(separator: " ") }
}
