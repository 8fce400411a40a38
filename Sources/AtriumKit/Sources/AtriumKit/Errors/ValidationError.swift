/// Input breaks rules; nothing was done.
public struct ValidationError: ExplainedError, Equatable {
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    /// Every rule that is broken; at least one.
    public let findings: [ValidationFinding]
    /// The failure that the findings were made from, if another layer checked; not compared.
    public let cause: (any Error)?

    public var category: ErrorCategory { .validation }

    /// An error with every rule that is broken; its message has the sentences of the findings by default.
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

    public static func == (left: ValidationError, right: ValidationError) -> Bool {
        (left.code, left.message, left.hint) == (right.code, right.message, right.hint)
            && left.findings == right.findings
    }

    /// Throws if there are findings.
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

    public init(_ message: String, field: String? = nil, line: Int? = nil, column: Int? = nil) {
        self.field = field
        self.message = message
        self.line = line
        self.column = column
    }

    /// The finding behind its position, such as `Line 3, column 14`, and a colon.
    public var text: String {
        guard let line else { return message }
        return (column.map { "Line \(line), column \($0)" } ?? "Line \(line)") + ": " + message
    }

    /// The finding about a number outside a range; none if it is inside.
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
