import AtriumKit

/// Finds the text of a search anywhere in the search keys of entities.
///
/// The index `entitySearch` (SQLite FTS5, tokenizer trigram) holds every run of three characters of every
/// search key. Shorter texts, and those with characters that the tokenizer confuses, are compared with every
/// key. In PostgreSQL an index of the table itself holds the runs (pg_trgm).
struct EntitySearch {
    static let table = "entitySearch"

    private let keys: [String]
    private let dialect: Dialect

    init(_ query: RecordQuery<Entity>, _ dialect: Dialect) {
        keys = SearchKey.forms(of: query.search ?? "")
        self.dialect = dialect
    }

    /// True if the text can be found in the index table, which counts characters as Unicode scalars.
    var hasTable: Bool { dialect == .sqlite && keys.allSatisfy(Self.isIndexed) }

    private static func isIndexed(_ key: String) -> Bool {
        var count = 0
        for scalar in key.unicodeScalars {
            // The tokenizer reads the two noncharacters as the replacement character.
            guard !(0xFFFD...0xFFFF).contains(scalar.value) else { return false }
            count += 1
        }
        return count >= 3
    }

    /// The condition on a row, with ``arguments``.
    var condition: String {
        if hasTable { return "\(Self.table) MATCH ?" }
        let one = dialect == .postgresql ? "searchKey LIKE ?" : "instr(searchKey, ?) > 0"
        return keys.count == 1 ? one : "(\(keys.map { _ in one }.joined(separator: " OR ")))"
    }

    /// The text in each of its forms: for the table as phrases in quotes, for PostgreSQL as patterns.
    var arguments: [DatabaseValue] {
        if dialect == .postgresql { return keys.map { .text("%\(Self.pattern($0))%") } }
        guard hasTable else { return keys.map { .text($0) } }
        return [.text(keys.map(Self.phrase).joined(separator: " OR "))]
    }

    private static func phrase(_ key: String) -> String {
        // By scalars: a quote with an accent is a different character.
        var phrase = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in key.unicodeScalars {
            if scalar == "\"" { phrase.append(scalar) }
            phrase.append(scalar)
        }
        phrase.append("\"")
        return String(phrase)
    }

    /// The text with the wildcards of a pattern escaped by backslashes.
    private static func pattern(_ key: String) -> String {
        var pattern = String.UnicodeScalarView()
        for scalar in key.unicodeScalars {
            if "%_\\".unicodeScalars.contains(scalar) { pattern.append("\\") }
            pattern.append(scalar)
        }
        return String(pattern)
    }
}

/// Keeps the table of search keys up to date with the entities; PostgreSQL does so on its own.
struct EntityIndex {
    private let connection: any DatabaseConnection
    private var isTable: Bool { connection.dialect == .sqlite }

    init(_ connection: any DatabaseConnection) { self.connection = connection }

    func add(_ entity: Entity) throws {
        guard isTable else { return }
        try connection.execute(
            "INSERT INTO entitySearch (rowid, searchKey) VALUES (?, ?)",
            [entity.id.databaseValue, entity.searchKey.databaseValue])
    }

    /// The greatest id; 0 if the index is not a table.
    ///
    /// Not read on PostgreSQL: every insert by others would conflict with a transaction that did.
    func last() throws -> Int {
        guard isTable else { return 0 }
        return try connection.first(EntityQueries.lastID) { try $0.value(0) } ?? 0
    }

    func addAll(after id: Int) throws {
        guard isTable else { return }
        try connection.execute(
            "INSERT INTO entitySearch (rowid, searchKey) SELECT id, searchKey FROM entities WHERE id > ?",
            [id.databaseValue])
    }

    /// Removes an entity before it is changed or deleted: the index needs the old text.
    func remove(_ id: Int64) throws {
        guard isTable else { return }
        try connection.execute(
            """
            INSERT INTO entitySearch (entitySearch, rowid, searchKey)
            SELECT 'delete', id, searchKey FROM entities WHERE id = ?
            """, [.integer(id)])
    }

    func removeAll() throws {
        guard isTable else { return }
        try connection.execute("INSERT INTO entitySearch (entitySearch) VALUES ('delete-all')")
    }
}
