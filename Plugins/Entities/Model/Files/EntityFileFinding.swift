/// Something that is wrong in a file of entities.
struct EntityFileFinding: Hashable, Sendable {
    /// The line, from 1.
    let line: Int
    /// The character in the line, from 1; nil where it is the whole row or one of its fields.
    let column: Int?
    /// The field; nil where it is none of them in particular.
    let field: String?
    /// A sentence.
    let message: String

    init(line: Int, column: Int? = nil, field: String? = nil, message: String) {
        self.line = line
        self.column = column
        self.field = field
        self.message = message
    }

    /// The most that are looked for in one file.
    static let maximum = 100

    /// Where it is and what is wrong.
    ///
    /// For example `Line 3, column 14: The quote is never closed.`
    var text: String {
        let place = column.map { "Line \(line), column \($0)" } ?? "Line \(line)"
        return "\(place): \(message)"
    }
}
