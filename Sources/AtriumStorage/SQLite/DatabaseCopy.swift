package import AtriumKit
internal import CSQLite
internal import Glibc

/// Makes copies of a module's database while others use it; never writes to the file itself.
package enum DatabaseCopy {
    /// The size up to which a sample is the whole database.
    private static let wholeLimit = 16 << 20
    /// The maximum number of rows per table in a sample of a larger database.
    private static let sampleRows = 1_000

    /// Copies a database to try migrations on; of a large one, only the schema and some rows of each table.
    ///
    /// - Parameters:
    ///   - path: The database; nothing is copied if it does not exist.
    ///   - copy: A file that does not exist.
    ///   - owner: The name of the module, for errors.
    /// - Throws: ``DatabaseError``; the copy is removed.
    package static func sample(of path: String, to copy: String, owner: String) throws {
        guard let status = FileStatus(of: path) else { return }
        do { try makeSample(of: path, to: copy, owner: owner, isWhole: status.size <= wholeLimit) } catch {
            // An incomplete copy would look like damaged data.
            unlink(copy)
            throw error
        }
    }

    private static func makeSample(of path: String, to copy: String, owner: String, isWhole: Bool) throws {
        let source = try PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY)
        let target = try PlainConnection(
            copy, owner: owner, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI)
        if isWhole { return try source.backUp(to: target) }
        try target.run("PRAGMA synchronous = OFF")
        try target.attach(path)
        try copySchemaAndRows(target)
    }

    /// Copies a database at one moment, into a file whose contents it replaces.
    package static func whole(_ path: String, to copy: String, owner: String) throws {
        let source = try PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY)
        let target = try PlainConnection(copy, owner: owner, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        try source.backUp(to: target)
    }

    /// Restores a database from a copy; others may have the database open.
    package static func restore(_ copy: String, to path: String, owner: String) throws {
        let source = try PlainConnection(copy, owner: owner, SQLITE_OPEN_READONLY)
        let target = try PlainConnection(path, owner: owner, SQLITE_OPEN_READWRITE)
        try source.backUp(to: target)
    }

    /// Moves the log of a database into its file, so that the file can be moved.
    ///
    /// - Returns: False, without waiting, if another connection has the database open.
    package static func isAlone(_ path: String, owner: String) throws -> Bool {
        do {
            let connection = try PlainConnection(path, owner: owner, SQLITE_OPEN_READWRITE, patience: 0)
            return try connection.query("PRAGMA journal_mode = DELETE").first?[0] == "delete"
        } catch let error as DatabaseError where error.code == .databaseLocked {
            return false
        } catch let error as DatabaseError where error.code == .databaseCorrupt {
            // Its log moves with it.
            return true
        }
    }

    /// The schema version of a database; nil if there is no file.
    package static func version(of path: String, owner: String) throws -> Int? {
        guard access(path, F_OK) == 0 else { return nil }
        let connection = try PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY)
        return try connection.query("PRAGMA user_version").first.flatMap { $0[0] }.flatMap { Int($0) } ?? 0
    }

    /// The number of rows of each table, by name.
    package static func rowCounts(of path: String, owner: String) throws -> [(table: String, rows: Int)] {
        let connection = try PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY)
        let tables = try connection.query(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
        return try tables.compactMap(\.[0]).map { table in
            let count = try connection.query("SELECT count(*) FROM \(quoted(table))")
            return (table, Int(count.first?[0] ?? "") ?? 0)
        }
    }

    /// A table, its columns, and the tables it refers to.
    package struct Table: Sendable {
        package let name: String
        package let columns: [String]
        /// The columns of the primary key.
        package let key: [String]
        package let references: Set<String>
        /// The last number assigned by `AUTOINCREMENT`; nil if the table has none.
        package let lastNumber: Int?
    }

    /// The tables of a database, without those that index the texts of another table.
    package static func tables(of path: String, owner: String) throws -> [Table] {
        let connection = try PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY)
        return try rowCounts(of: path, owner: owner).map { name, _ in
            let columns = try connection.query(
                "SELECT name, pk FROM pragma_table_xinfo(\(text(name))) WHERE hidden = 0")
            let references = try connection.query(
                "SELECT \"table\" FROM pragma_foreign_key_list(\(text(name)))")
            // `sqlite_sequence` exists once a table numbers its rows.
            let numbers = try? connection.query("SELECT seq FROM sqlite_sequence WHERE name = \(text(name))")
            return Table(
                name: name, columns: columns.compactMap(\.[0]),
                key: columns.filter { $0[1] != "0" }.compactMap(\.[0]),
                references: Set(references.compactMap(\.[0])).subtracting([name]),
                lastNumber: numbers?.first?[0].flatMap { Int($0) })
        }
    }

    package static func forEachRow(
        of table: Table, in path: String, owner: String, _ use: ([DatabaseValue]) throws -> Void
    ) throws {
        let connection = try PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY)
        let columns = table.columns.map(quoted).joined(separator: ", ")
        var values: [DatabaseValue] = []
        try connection.forEachRow("SELECT \(columns) FROM \(quoted(table.name))") { statement in
            try statement.readRow(statement.columns(), into: &values)
            try use(values)
        }
    }

    /// Names a row of ``forEachRow(of:in:owner:_:)``, numbered from 1: `id 42`.
    package static func name(ofRow number: Int, of table: Table, in path: String, owner: String) -> String {
        let columns = table.columns.map(quoted).joined(separator: ", ")
        let row = try? PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY).query(
            "SELECT \(columns) FROM \(quoted(table.name)) LIMIT 1 OFFSET \(number - 1)"
        ).first
        let values = zip(table.columns, row ?? []).filter { table.key.contains($0.0) }
        guard !values.isEmpty else { return "number \(number)" }
        return values.map { "\($0) \($1.map { String($0.prefix(100)) } ?? "NULL")" }.joined(separator: ", ")
    }

    /// Runs the missing migrations on a copy.
    ///
    /// - Throws: ``DatabaseError``
    package static func tryMigrations(_ migrations: [Migration], on copy: String, owner: String) throws {
        let migrator = Migrator(migrations, of: owner)
        if let fault = migrator.fault { throw fault }
        let handle = try SQLiteHandle.open(
            DatabaseLocation(owner: owner, path: copy), busyTimeout: .zero, cancellation: CancellationFlag())
        defer { handle.close() }
        _ = handle.run("PRAGMA synchronous = OFF")
        try migrator.migrate(handle)
    }

    /// Adds a row to each table, with a sample value in each column; skips rows that a constraint refuses.
    package static func addSampleRows(to path: String, owner: String) throws {
        let connection = try PlainConnection(path, owner: owner, SQLITE_OPEN_READWRITE)
        let tables = try connection.query(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                + "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        for table in tables.compactMap(\.[0]) {
            let columns = try connection.query(
                "SELECT name, type FROM pragma_table_xinfo(\(text(table))) WHERE hidden = 0")
            let names = columns.compactMap(\.[0]).map(quoted).joined(separator: ", ")
            let values = columns.map { column in
                switch column[1]?.uppercased() {
                case "INTEGER", "INT": "1"
                case "REAL": "1.5"
                case "BLOB": "x'01'"
                default: "'sample'"
                }
            }.joined(separator: ", ")
            try? connection.run("INSERT INTO \(quoted(table)) (\(names)) VALUES (\(values))")
        }
    }

    // MARK: - Samples

    private static func copySchemaAndRows(_ target: PlainConnection) throws {
        let objects = try target.query(
            """
            SELECT list.type, list.name, entry.sql FROM pragma_table_list AS list
            JOIN source.sqlite_schema AS entry ON entry.name = list.name
            WHERE list.schema = 'source' AND list.type IN ('table', 'virtual')
                AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            ORDER BY list.type
            """)
        try target.run("BEGIN")
        for object in objects {
            guard let name = object[1], let sql = object[2] else { continue }
            // The shadow tables of a virtual table come with it.
            try target.run(sql)
            guard object[0] == "table" else { continue }
            let columns = try target.query(
                "SELECT name FROM pragma_table_xinfo(\(text(name)), 'source') WHERE hidden = 0"
            ).compactMap(\.[0]).map(quoted).joined(separator: ", ")
            try target.run(
                "INSERT INTO main.\(quoted(name))(\(columns)) "
                    + "SELECT \(columns) FROM source.\(quoted(name)) LIMIT \(sampleRows)")
        }
        // Rows whose parent is not in the sample would fail a migration that copies them.
        for _ in 0..<10 {
            let orphans = try target.query("PRAGMA main.foreign_key_check")
            if orphans.isEmpty { break }
            for orphan in orphans {
                guard let table = orphan[0] else { continue }
                let condition = orphan[1].map { " WHERE rowid = \($0)" } ?? ""
                try target.run("DELETE FROM main.\(quoted(table))\(condition)")
            }
        }
        for object in objects where object[0] == "virtual" {
            // Only full-text tables know this command; others keep their rows elsewhere.
            if let name = object[1] {
                try? target.run("INSERT INTO main.\(quoted(name))(\(quoted(name))) VALUES ('rebuild')")
            }
        }
        for row in try target.query(
            "SELECT sql FROM source.sqlite_schema WHERE type IN ('index', 'view', 'trigger') AND sql NOT NULL "
                + "ORDER BY type != 'index', type != 'view'")
        {
            if let sql = row[0] { try target.run(sql) }
        }
        let version = try target.query("PRAGMA source.user_version").first?[0] ?? "0"
        try target.run("PRAGMA main.user_version = \(version); COMMIT")
    }

    private static func text(_ value: String) -> String { "'\(value.replacing("'", with: "''"))'" }

    private static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
}

/// A database as it is at one moment, for a copy that is made later; writers need not wait for it.
///
/// Unchecked because the compiler can't see that only one thread uses it at a time.
package final class DatabaseMoment: @unchecked Sendable {
    package let version: Int
    private let connection: PlainConnection
    private let owner: String

    package init(of path: String, owner: String) throws {
        self.owner = owner
        connection = try PlainConnection(path, owner: owner, SQLITE_OPEN_READONLY)
        try connection.run("BEGIN")
        // The first read fixes the moment.
        version = try connection.query("PRAGMA user_version").first?[0].flatMap { Int($0) } ?? 0
        _ = try connection.query("SELECT count(*) FROM sqlite_schema")
    }

    /// Copies it into a new file, without waiting for the disk unless `synchronizing`.
    package func copy(to path: String, synchronizing: Bool = true) throws {
        let target = try PlainConnection(path, owner: owner, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
        if !synchronizing { try target.run("PRAGMA synchronous = OFF") }
        try connection.backUp(to: target)
    }
}
