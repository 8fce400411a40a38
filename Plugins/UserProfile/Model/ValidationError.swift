import AtriumKit

/// Fields break their rules; nothing was done.
struct ValidationError: ExplainedError {
    /// Every rule of a field that is broken.
    let findings: [ValidationFinding]
    /// The rule of the business that is broken as well, where one is.
    let businessError: BusinessError?
    /// What the server said of it, where the rules are the server's.
    let answer: APIError?

    init(findings: [ValidationFinding], businessError: BusinessError? = nil, answer: APIError? = nil) {
        self.findings = findings
        self.businessError = businessError
        self.answer = answer
    }

    var code: ErrorCode { .validation }
    var category: ErrorCategory { .validation }
    var cause: (any Error)? { businessError ?? answer }

    var message: String {
        (findings.map(\.message) + (businessError.map { [$0.message] } ?? [])).joined(separator: " ")
    }

    static func notANumber(_ text: String) -> ValidationError {
        let problem = "The age must be a whole number, not '\(text)'."
        return ValidationError(findings: [ValidationFinding(field: .age, message: problem)])
    }
}
