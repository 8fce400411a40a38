/// An error for input that breaks rules; nothing was done.
public struct ValidationError: ExplainedError, Equatable {
    /// `validation`, unless the module gives a more specific code.
    public let code: ErrorCode
    /// The sentences of the findings with their positions, unless one was given.
    public let message: String
    public let hint: String?
    /// The broken rules; at least one.
    public let findings: [ValidationFinding]
    /// The underlying failure, if another layer checked the input; not compared.
    public let cause: (any Error)?

    /// Always `validation`.
    public var category: ErrorCategory { .validation }

    /// Creates an error from its findings; the message joins their sentences by default.
    public init(
        _ code: ErrorCode = .validation, findings: [ValidationFinding], message: String? = nil,
        hint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message ?? findings.map(\.text).joined(separator: " ")
        self.hint = hint
        self.findings = findings
        self.cause = cause
    }

    /// Compares everything but the causes.
    public static func == (left: ValidationError, right: ValidationError) -> Bool {
        (left.code, left.message, left.hint) == (right.code, right.message, right.hint)
            && left.findings == right.findings
    }

    /// Throws a ``ValidationError`` if there are findings.
    public static func check(_ findings: [ValidationFinding]) throws {
        guard findings.isEmpty else { throw ValidationError(findings: findings) }
    }
}

/// One rule that one value breaks.
public struct ValidationFinding: Hashable, Sendable {
    /// The field or argument: `email`; nil if it is none in particular.
    public let field: String?
    /// A sentence that names the field.
    public let message: String
    /// The line, from 1, if the value comes from a file.
    public let line: Int?
    /// The character in the line, from 1.
    public let column: Int?

    /// Creates a finding; `message` is a sentence, `line` and `column` count from 1.
    public init(_ message: String, field: String? = nil, line: Int? = nil, column: Int? = nil) {
        self.field = field
        self.message = message
        self.line = line
        self.column = column
    }

    /// The message, after its position, such as `Line 3, column 14`, and a colon.
    public var text: String {
        guard let line else { return message }
        return (column.map { "Line \(line), column \($0)" } ?? "Line \(line)") + ": " + message
    }

    /// Returns a finding if `value` is outside `range`, else none.
    public static func checking(
        _ name: String, _ value: Int, within range: ClosedRange<Int>
    ) -> [ValidationFinding] {
        guard !range.contains(value) else { return [] }
        let bound =
            value < range.lowerBound ? "at least \(range.lowerBound)" : "at most \(range.upperBound)"
        return [ValidationFinding("The \(name) must be \(bound), not \(value).", field: name)]
    }
}

extension ProblemDetails {
    /// The findings of a server that refused input.
    public var findings: [ValidationFinding] {
        errors.map { ValidationFinding($0.detail, field: $0.field, line: $0.line) }
    }
}
