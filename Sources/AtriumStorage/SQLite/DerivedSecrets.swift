@_spi(Host) internal import AtriumKit

/// The columns and tables that hold values of secret columns under other names: foreign keys, and by the schema's
/// text generated columns, and full-text indexes with their tables.
///
/// SQLite reports neither the columns that a generated column is computed from, nor those that a function such
/// as `snippet` takes from an index.
struct DerivedSecrets {
    /// A column of a foreign key, with the one that holds its values.
    struct ForeignKey {
        let table: String
        let column: String
        let target: (table: String, column: String)
    }

    /// By table, in lower case, as all names here.
    private var columns: [String: Set<String>] = [:]
    /// Views and virtual tables that show values of secret columns.
    private var relations: Set<String> = []
    private let isHidden: (String) -> Bool

    /// Reads the names of tables and views with their `CREATE` statements, and the foreign keys.
    init(_ schema: [(name: String, sql: String)], _ keys: [ForeignKey], of query: DatabaseQuery) {
        isHidden = query.hides
        let statements = schema.map { ($0.name.lowercased(), StatementWords.all(in: $0.sql)) }
        let tables = statements.filter { Self.kind(of: $0.1) == "table" }
            .map { ($0.0, Self.definitions($0.1)) }
        // A key may be onto another key or a generated column, which may be computed from a key.
        var count = -1
        while count < columnCount {
            count = columnCount
            for (name, definitions) in tables { addColumns(of: definitions, to: name) }
            for key in keys {
                let (table, column) = key.target
                guard isHidden(column) || hides(column, of: table) else { continue }
                columns[key.table.lowercased(), default: []].insert(key.column.lowercased())
            }
        }
        // One view or index may be over another one.
        count = -1
        while count < relations.count {
            count = relations.count
            for (name, words) in statements where shows(words) { relations.insert(name) }
        }
    }

    private var columnCount: Int { columns.values.reduce(0) { $0 + $1.count } }

    func hides(_ column: String, of table: String) -> Bool {
        let table = table.lowercased()
        let owners = Self.parts.filter(table.hasSuffix).map { String(table.dropLast($0.count)) }
        return columns[table]?.contains(column.lowercased()) == true
            || ([table] + owners).contains(where: relations.contains)
    }

    /// The tables in which virtual tables keep their values.
    private static let parts = [
        "_content", "_data", "_idx", "_docsize", "_segments", "_segdir", "_stat", "_node", "_rowid",
        "_parent",
    ]

    /// Adds the secret columns of a table: those named so, and those computed from one.
    private mutating func addColumns(of definitions: [[StatementWords.Word]], to table: String) {
        let named = definitions.compactMap(\.first?.name).filter(isHidden)
        var hidden = columns[table, default: []].union(named)
        for definition in definitions {
            // A text is a value there.
            let names = definition.filter { $0.quote != "'" }.compactMap(\.name)
            guard let name = definition.first?.name, names.contains("as"),
                names.dropFirst().contains(where: { isHidden($0) || hidden.contains($0) })
            else { continue }
            hidden.insert(name)
        }
        columns[table] = hidden
    }

    /// True for a view or a virtual table that names a secret column, or something that shows one; a view also
    /// shows the columns that it does not name.
    private func shows(_ words: [StatementWords.Word]) -> Bool {
        let (kind, names) = (Self.kind(of: words), Set(words.compactMap(\.name)))
        guard kind != "table" else { return false }
        return names.contains { name in
            isHidden(name) || relations.contains(name) || columns.values.contains { $0.contains(name) }
                || kind == "view" && columns[name]?.isEmpty == false
        }
    }

    private static func kind(of words: [StatementWords.Word]) -> String {
        words.lazy.compactMap(\.name).first { ["table", "view", "virtual"].contains($0) } ?? "table"
    }

    /// The parts between the outer parentheses, which commas separate.
    private static func definitions(_ words: [StatementWords.Word]) -> [[StatementWords.Word]] {
        var (depth, found) = (0, [[StatementWords.Word]]())
        for word in words.drop(while: { $0.sign != "(" }) {
            if word.sign == ")" { depth -= 1 }
            if depth == 1, word.sign == "," {
                found.append([])
            } else if depth > 0 {
                found[found.count - 1].append(word)
            } else if word.sign == "(" {
                found.append([])
            } else {
                break
            }
            if word.sign == "(" { depth += 1 }
        }
        return found
    }
}
