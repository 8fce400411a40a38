@_spi(Host) internal import AtriumKit

/// The columns and tables that hold values of secret columns under other names, by the schema's text: generated
/// columns, foreign keys, and full-text indexes with their tables.
///
/// SQLite reports neither the columns that a generated column is computed from, nor those that a function such
/// as `snippet` takes from an index.
struct DerivedSecrets {
    /// By table, in lower case, as all names here.
    private var columns: [String: Set<String>] = [:]
    /// Views and virtual tables that show values of secret columns.
    private var relations: Set<String> = []
    private let isHidden: (String) -> Bool

    /// Reads the names of tables and views with their `CREATE` statements.
    init(_ schema: [(name: String, sql: String)], of query: DatabaseQuery) {
        isHidden = query.hides
        let statements = schema.map { ($0.name.lowercased(), StatementWords.all(in: $0.sql)) }
        for (name, words) in statements { columns[name] = hiddenColumns(words) }
        // One view or index may be over another one.
        var count = -1
        while count < relations.count {
            count = relations.count
            for (name, words) in statements where shows(words) { relations.insert(name) }
        }
    }

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

    /// The secret columns of a table: those named so, and those whose definition computes or references one.
    private func hiddenColumns(_ words: [StatementWords.Word]) -> Set<String> {
        guard Self.kind(of: words) == "table" else { return [] }
        let definitions = Self.definitions(words)
        var hidden = Set(definitions.compactMap(\.first?.name).filter(isHidden))
        var count = -1
        while count < hidden.count {
            count = hidden.count
            for definition in definitions {
                // A text is a value there.
                let names = definition.filter { $0.quote != "'" }.compactMap(\.name)
                guard let name = definition.first?.name, names.contains(where: Self.links.contains),
                    names.dropFirst().contains(where: { isHidden($0) || hidden.contains($0) })
                else { continue }
                hidden.insert(name)
            }
        }
        return hidden
    }

    private static let links: Set = ["as", "references"]

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
