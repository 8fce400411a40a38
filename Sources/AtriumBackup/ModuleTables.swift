internal import AtriumKit

/// The tables and sequences of modules on a database server, as a transaction sees them.
struct ModuleTables {
    private let tables: [Table]
    private let sequences: [Sequence]
    private let versions: [String: Int]

    private struct Table {
        let module: String
        let name: String
        /// The name with its schema, quoted.
        let path: String
        /// What to read and delete from: without the rows of tables that inherit from it.
        let rows: String
        /// The columns that are stored, quoted.
        let columns: String
        /// The condition that two rows have the same key; nil if all rows have to be replaced together.
        let sameKey: String?
        /// The triggers to switch off, each with the word that switches it on again.
        let triggers: [(name: String, on: String)]
    }

    private struct Copy {
        let module: String
        let name: String
        let columns: String
        let copied: String

        init(_ row: DatabaseRow) throws {
            (module, name) = (try row.value(0), try row.value(1))
            (columns, copied) = (try row.value(2), try row.value(3))
        }
    }

    private struct Sequence {
        let path: String
        let next: Int64
    }

    /// Looks the tables up.
    ///
    /// - Throws: ``BackupError`` if the role does not own them; ``DatabaseError``.
    init(of modules: [String], _ connection: any DatabaseConnection) throws {
        let names = DatabaseValue.text(modules.joined(separator: ","))
        let schemas = try connection.query(Self.schemas, [names]) { try $0.value(0, as: String.self) }
        let present = DatabaseValue.text(schemas.joined(separator: ","))
        if let (role, owner, table) = try connection.first(
            Self.notOwned, [present], decode: { (try $0.value(0), try $0.value(1), try $0.value(2)) })
            as (String, String, String)?
        {
            throw BackupError.serverRights(role, owner, table)
        }
        versions = try schemas.reduce(into: [:]) { versions, schema in
            versions[schema] = try connection.first(
                "SELECT coalesce(max(version), 0) FROM \"\(schema)\".atrium_migrations", []
            ) { try $0.value(0) }
        }
        let triggers = try Self.triggers(in: present, connection)
        tables = try connection.query(Self.tables, [present]) { row in
            let path: String = try row.value(2)
            return Table(
                module: try row.value(0), name: try row.value(1), path: path, rows: try row.value(5),
                columns: try row.value(3), sameKey: try row.value(4),
                triggers: triggers.filter { $0.path == path }.map { ($0.name, $0.on) })
        }
        let paths = try connection.query(Self.sequences, [present]) { try $0.value(0, as: String.self) }
        sequences = try paths.map { try Sequence(path: $0, next: Self.next(of: $0, connection)) }
    }

    private static func triggers(
        in schemas: DatabaseValue, _ connection: any DatabaseConnection
    ) throws -> [(path: String, name: String, on: String)] {
        try connection.query(triggers, [schemas]) { row in
            (try row.value(0), try row.value(1), try row.value(2))
        }
    }

    private static func next(of sequence: String, _ connection: any DatabaseConnection) throws -> Int64 {
        try connection.first(
            """
            SELECT CASE WHEN is_called THEN last_value + seqincrement ELSE last_value END
            FROM \(sequence), pg_sequence WHERE seqrelid = CAST(? AS regclass)
            """, [.text(sequence)]
        ) { try $0.value(0) } ?? 1
    }

    // MARK: - Copying

    /// Copies the rows into tables of the present schema.
    func copy(as id: String, _ connection: any DatabaseConnection) throws -> ServerCopies.Saved {
        var saved = ServerCopies.Saved(id: id, versions: versions)
        for (number, table) in tables.enumerated() {
            let copied = "\"\(id)_\(number)\""
            try connection.execute("CREATE TABLE \(copied) AS SELECT \(table.columns) FROM \(table.rows)")
            try connection.execute(
                "INSERT INTO tables (copy, module, name, columns, copied) VALUES (?, ?, ?, ?, ?)",
                [.text(id), .text(table.module), .text(table.name), .text(table.columns), .text(copied)])
            saved.byteCount +=
                try connection.first("SELECT pg_total_relation_size(CAST(? AS regclass))", [.text(copied)]) {
                    try $0.value(0)
                } ?? 0
        }
        for sequence in sequences {
            try connection.execute(
                "INSERT INTO sequences (copy, path, next) VALUES (?, ?, ?)",
                [.text(id), .text(sequence.path), .integer(sequence.next)])
        }
        return saved
    }

    // MARK: - Returning to a copy

    /// Keeps other changes out of the tables until the end of the transaction; they can still be read.
    ///
    /// - Returns: The tables as they are from now on.
    static func locked(_ modules: [String], _ connection: any DatabaseConnection) throws -> ModuleTables {
        let found = try ModuleTables(of: modules, connection)
        guard !found.tables.isEmpty else { return found }
        let paths = found.tables.map(\.path).joined(separator: ", ")
        try connection.execute("LOCK TABLE \(paths) IN SHARE ROW EXCLUSIVE MODE")
        return try ModuleTables(of: modules, connection)
    }

    /// Sets the rows and the next numbers to those of a copy; triggers do not run.
    ///
    /// - Throws: ``BackupError`` if the copy has other tables; ``DatabaseError``.
    func replace(by id: String, _ connection: any DatabaseConnection) throws {
        let copies = try copies(id, connection)
        for table in tables {
            for trigger in table.triggers {
                try connection.execute("ALTER TABLE \(table.path) DISABLE TRIGGER \(trigger.name)")
            }
        }
        // Foreign keys are checked at the end of each statement, so their order does not matter.
        try Self.runTogether(zip(tables, copies).map(Self.deletion), connection)
        try Self.runTogether(zip(tables, copies).map(Self.insertion), connection)
        try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in tables {
            for trigger in table.triggers {
                try connection.execute("ALTER TABLE \(table.path) \(trigger.on) TRIGGER \(trigger.name)")
            }
        }
        let numbers = try connection.query("SELECT path, next FROM sequences WHERE copy = ?", [.text(id)]) {
            (path: try $0.value(0, as: String.self), next: try $0.value(1, as: Int64.self))
        }
        for (path, next) in numbers {
            // Unlike setval, this is undone if the transaction fails.
            try connection.execute("ALTER SEQUENCE \(path) RESTART WITH \(next)")
        }
    }

    /// The names of the tables of a copy, in the order of the present ones.
    private func copies(_ id: String, _ connection: any DatabaseConnection) throws -> [String] {
        let rows = try connection.query(
            "SELECT module, name, columns, copied FROM tables WHERE copy = ?", [.text(id)]
        ) { try Copy($0) }
        let copies = tables.compactMap { table in
            rows.first { ($0.module, $0.name, $0.columns) == (table.module, table.name, table.columns) }?
                .copied
        }
        guard copies.count == tables.count, rows.count == tables.count else {
            throw BackupError.serverTables(found: rows.count, of: tables.count)
        }
        return copies
    }

    private static func runTogether(
        _ statements: [String], _ connection: any DatabaseConnection
    ) throws {
        guard !statements.isEmpty else { return }
        let parts = statements.enumerated().map { "part\($0) AS (\($1))" }
        try connection.execute("WITH \(parts.joined(separator: ", ")) SELECT 1")
    }

    /// Deletes rows that the copy lacks; all rows, if rows of other tables refer to them.
    private static func deletion(_ table: Table, _ copy: String) -> String {
        guard let sameKey = table.sameKey else { return "DELETE FROM \(table.rows)" }
        return """
            DELETE FROM \(table.rows) AS atrium_live WHERE NOT EXISTS (
                SELECT 1 FROM \(copy) AS atrium_copy WHERE \(sameKey) AND atrium_copy *= atrium_live)
            """
    }

    private static func insertion(_ table: Table, _ copy: String) -> String {
        let insert = """
            INSERT INTO \(table.path) (\(table.columns)) OVERRIDING SYSTEM VALUE
            SELECT \(table.columns) FROM \(copy) AS atrium_copy
            """
        guard let sameKey = table.sameKey else { return insert }
        return """
            \(insert) WHERE NOT EXISTS (SELECT 1 FROM \(table.rows) AS atrium_live WHERE \(sameKey))
            """
    }

    // MARK: - The catalog

    /// The schemas among the names that modules' migrations made.
    private static let schemas = """
        SELECT nspname::text FROM pg_namespace
        WHERE nspname = ANY (string_to_array(?, ',')) AND EXISTS (
            SELECT 1 FROM pg_class WHERE relnamespace = pg_namespace.oid AND relname = 'atrium_migrations')
        ORDER BY 1
        """

    private static func wanted(joining join: String = "") -> String {
        """
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace \(join)
        WHERE nspname = ANY (string_to_array(?, ',')) AND relname <> 'atrium_migrations'
        """
    }

    private static let isTable = "relkind IN ('r', 'p') AND NOT relispartition"

    /// A table or sequence that the role does not own, with both roles.
    private static let notOwned = """
        SELECT current_user::text, pg_get_userbyid(relowner)::text, format('%I.%I', nspname, relname)
        \(wanted()) AND (\(isTable) OR relkind = 'S') AND NOT pg_has_role(relowner, 'USAGE')
        ORDER BY 3 LIMIT 1
        """

    /// A table with rows that others refer to, or that refer to others, is replaced as a whole, and so is one
    /// without a key, or with computed columns.
    private static let tables = """
        SELECT nspname::text, relname::text, format('%I.%I', nspname, relname),
            (SELECT coalesce(string_agg(quote_ident(attname), ', ' ORDER BY attnum), '') FROM pg_attribute
                WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''),
            (SELECT string_agg(format('atrium_copy.%1$I = atrium_live.%1$I', attname), ' AND ')
                FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
                WHERE indrelid = pg_class.oid AND indisprimary
                AND NOT EXISTS (SELECT 1 FROM pg_constraint
                    WHERE contype = 'f' AND pg_class.oid IN (conrelid, confrelid))
                AND NOT EXISTS (SELECT 1 FROM pg_attribute
                    WHERE attrelid = pg_class.oid AND attnum > 0 AND attgenerated <> '')),
            CASE relkind WHEN 'r' THEN 'ONLY ' ELSE '' END || format('%I.%I', nspname, relname)
        \(wanted()) AND \(isTable) ORDER BY 1, 2
        """

    private static let triggers = """
        SELECT format('%I.%I', nspname, relname), quote_ident(tgname),
            CASE tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END
        \(wanted(joining: "JOIN pg_trigger ON tgrelid = pg_class.oid"))
        AND NOT tgisinternal AND tgenabled IN ('O', 'A') ORDER BY 1, 2
        """

    private static let sequences = """
        SELECT format('%I.%I', nspname, relname) \(wanted()) AND relkind = 'S' ORDER BY 1
        """
}
