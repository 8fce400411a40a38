import AtriumKit

/// What a column of a CSV file, or a member of a line of JSON, holds.
enum EntityColumn: Hashable {
    case text(EntityField)
    /// What entities have, and drafts have not.
    case ignored(String)

    private static let ignoredNames = ["id", "createdAt", "updatedAt"]

    /// The column of a name, in any case; nil where there is none.
    init?(_ name: String) {
        let isSame: (String) -> Bool = { $0.lowercased() == name.lowercased() }
        if let field = EntityField.allCases.first(where: { isSame($0.rawValue) }) {
            self = .text(field)
        } else if let ignored = Self.ignoredNames.first(where: isSame) {
            self = .ignored(ignored)
        } else {
            return nil
        }
    }

    /// The field; nil where the column is ignored.
    var field: EntityField? {
        if case .text(let field) = self { field } else { nil }
    }

    /// What is wrong with a name that no column has.
    static func unknown(_ name: String) -> String {
        let shown = name.count > 40 ? name.prefix(40) + "…" : name[...]
        return "There is no field '\(shown)'; an entity has name, category and notes."
    }

    /// The columns of a header, given its names: nil for what is not UTF-8.
    ///
    /// What is wrong with it is a ``RowMistake``.
    static func columns(_ names: [String?], _ record: CSVRecord) throws -> [EntityColumn] {
        var columns: [EntityColumn] = []
        for (name, place) in zip(names, record.fields) {
            func mistake(_ message: String) -> RowMistake {
                RowMistake(
                    finding: EntityFileFinding(line: place.line, column: place.column, message: message))
            }
            guard let name else { throw mistake("The text is not UTF-8.") }
            guard let column = EntityColumn(name) else { throw mistake(unknown(name)) }
            guard !columns.contains(column) else { throw mistake("There are two columns '\(name)'.") }
            columns.append(column)
        }
        guard columns.contains(.text(.name)) else {
            throw RowMistake(
                finding: EntityFileFinding(line: record.line, message: "There is no column 'name'."))
        }
        return columns
    }
}

/// The texts of a row before they become a draft.
struct EntityTexts {
    private var name = ""
    private var category: String?
    private var notes: String?

    subscript(field: EntityField) -> String? {
        get {
            switch field {
            case .name: name
            case .category: category
            case .notes: notes
            }
        }
        set {
            let text = newValue.map(Self.withLineFeeds)
            switch field {
            case .name: name = text ?? ""
            case .category: category = text
            case .notes: notes = text
            }
        }
    }

    var draft: EntityDraft { EntityDraft(name: name, category: category, notes: notes) }

    /// The text with LF for the line breaks of other systems.
    private static func withLineFeeds(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\r")) else { return text }
        var scalars = String.UnicodeScalarView()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            if scalar == "\r" {
                scalars.append("\n")
            } else if !(isAfterReturn && scalar == "\n") {
                scalars.append(scalar)
            }
            isAfterReturn = scalar == "\r"
        }
        return String(scalars)
    }
}
