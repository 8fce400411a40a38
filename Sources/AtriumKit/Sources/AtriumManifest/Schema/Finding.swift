/// Something wrong in a file: where, in which field, and what is allowed there.
public struct Finding: Sendable, Hashable {
    /// The place of the offending value or key; of the object where a key is missing.
    public let position: SourcePosition

    /// The field as a path, such as `requires.Session` or `modules[1].name`; empty for the whole document.
    public let field: String

    /// A sentence that names what is wrong and what is allowed.
    public let message: String

    /// Makes a finding.
    public init(position: SourcePosition, field: String, message: String) {
        self.position = position
        self.field = field
        self.message = message
    }
}

extension Finding: CustomStringConvertible {
    /// `12:5: error: version: …`, what follows the name of the file in a compiler's message.
    public var description: String {
        "\(position): error: \(field.isEmpty ? "" : field + ": ")\(message)"
    }
}

extension [Finding] {
    /// The findings in the order of the file; those of one place stay in the order they were made.
    func inFileOrder() -> [Finding] {
        enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }
}
