@_spi(Host) package import AtriumKit
internal import AtriumLibraries
package import AtriumModules
internal import AtriumStorage
internal import Glibc

/// Copies the rows of a module's SQLite file into its tables on a database server: all of them, or none.
///
/// If the same rows are there already, they count as copied.
package struct DatabaseMove: Sendable {
    private let path: String
    private let module: String
    private let migrations: [Migration]

    package init(_ path: String, of module: String, _ migrations: [Migration]) {
        (self.path, self.module, self.migrations) = (path, module, migrations)
    }

    /// Checks that a folder has data to copy, before anything is written into it.
    package static func check(_ folder: String) throws(MoveError) {
        guard let names = Folder.names(in: folder) else {
            throw MoveError(message: "There is no data folder '\(folder)'.", hint: "atrium --paths")
        }
        guard names.contains(where: { $0.hasSuffix(".sqlite") }) else {
            throw MoveError(
                message: "The folder '\(folder)' has no data of modules in files.", hint: "atrium --paths")
        }
    }

    package struct CopiedTable: Sendable {
        package let module: String
        package let name: String
        package let rows: Int
        /// True if the same rows were there already.
        package let wasThere: Bool
        /// A digest of the rows that does not depend on their order; the same on both sides.
        package let digest: String
    }

    package struct Report: Sendable {
        package var copied: [CopiedTable] = []
        /// The tables that the module does not have on the server, where it stores their data differently.
        package var left: [String] = []

        package init() {}
    }

    /// Copies the rows into `target`, the server's tables, which must be empty or have the same rows.
    ///
    /// - Returns: A report of the copied tables.
    /// - Throws: ``DatabaseError``, ``MoveError``; nothing was copied then.
    package func run(to target: any Database) async throws -> Report {
        let folder = try Folder.makeTemporary("atrium-database-copy")
        defer { FileSystem.remove(folder) }
        // Work on a copy: the file stays unchanged, and may be in use.
        let copy = "\(folder)/\(module).sqlite"
        do {
            // The first migration is committed with the file; an emptied one would be copied as no data.
            guard try DatabaseCopy.version(of: path, owner: module) ?? 0 > 0 else {
                throw MoveError(module, empty: path)
            }
            try DatabaseCopy.whole(path, to: copy, owner: module)
            try Task.checkCancellation()
            try DatabaseCopy.tryMigrations(migrations, on: copy, owner: module)
            return try await run(copy, to: target)
        } catch let error as DatabaseError where error.code == .databaseCorrupt {
            throw MoveError(module, damaged: path, error)
        }
    }

    private func run(_ copy: String, to target: any Database) async throws -> Report {
        let tables = Self.ordered(try DatabaseCopy.tables(of: copy, owner: module))
        return try await target.write { connection in
            var report = Report()
            let columns = try Self.columns(connection)
            var pairs: [Pair] = []
            for table in tables {
                if let name = Self.name(of: table.name, in: columns) {
                    pairs.append(try pair(table, with: name, columns[name] ?? [:]))
                } else {
                    report.left.append(table.name)
                }
            }
            // All of a module's tables were copied before, or none.
            let wasThere = try pairs.contains { try Self.hasRows($0.name, connection) }
            for pair in pairs {
                report.copied.append(try self.copy(pair, of: copy, wasThere: wasThere, connection))
            }
            // Hosts may be showing these tables, and only the module knows its topics.
            if !wasThere { connection.announce(.everything) }
            return report
        }
    }

    /// A table with the names of it and of its columns on the server.
    private struct Pair {
        let table: DatabaseCopy.Table
        let name: String
        let columns: [String]
        /// The columns that the server numbers.
        let numbered: [String]
    }

    private func pair(
        _ table: DatabaseCopy.Table, with target: String, _ known: [String: Bool]
    ) throws -> Pair {
        let names = try table.columns.map { column in
            guard let name = Self.name(of: column, in: known) else {
                throw MoveError(module, table.name, "has no column '\(column)' there")
            }
            return name
        }
        return Pair(
            table: table, name: "\"\(target)\"", columns: names.map { "\"\($0)\"" },
            numbered: names.filter { known[$0] == true })
    }

    private static func hasRows(_ name: String, _ connection: any DatabaseConnection) throws -> Bool {
        try connection.first("SELECT EXISTS (SELECT 1 FROM \(name))") { try $0.value(0) } ?? false
    }

    private func copy(
        _ pair: Pair, of copy: String, wasThere: Bool, _ connection: any DatabaseConnection
    ) throws -> CopiedTable {
        let table = pair.table
        let sent = try send(pair, of: copy, wasThere: wasThere, connection)
        let found = try Self.digest(of: pair, connection)
        guard sent == found else {
            throw MoveError(
                module, table.name,
                wasThere
                    ? "has other rows there already"
                    : "had \(sent.count) rows, and has other ones there (\(found.count))")
        }
        for column in pair.numbered {
            // Never reuse an id: not of an existing row, nor one that SQLite or the server remembers.
            try connection.execute(
                """
                SELECT setval(sequence, greatest(pg_sequence_last_value(sequence), ?::bigint,
                    (SELECT max("\(column)") FROM \(pair.name))))
                FROM CAST(pg_get_serial_sequence(?, ?) AS regclass) AS sequence
                """, [table.lastNumber.databaseValue, .text(pair.name), .text(column)])
        }
        return CopiedTable(
            module: module, name: table.name, rows: found.count, wasThere: wasThere,
            digest: found.description)
    }

    /// Inserts the rows, unless they are there already, and returns their digest.
    private func send(
        _ pair: Pair, of copy: String, wasThere: Bool, _ connection: any DatabaseConnection
    ) throws -> RowDigest {
        var (sent, isRead) = (RowDigest(), false)
        do {
            if wasThere {
                try DatabaseCopy.forEachRow(of: pair.table, in: copy, owner: module) { row in
                    try Task.checkCancellation()
                    sent.add(row)
                }
            } else {
                _ = try connection.insert(into: pair.name, pair.columns) { add in
                    try DatabaseCopy.forEachRow(of: pair.table, in: copy, owner: module) { row in
                        try add(row)
                        sent.add(row)
                    }
                    isRead = true
                }
            }
        } catch let error as DatabaseError {
            // The server reports its row, if it is about one; a row that can't be read is the next one.
            let number: Int? =
                if let failure = error.cause as? any RowFailure {
                    failure.row
                } else { isRead ? nil : sent.count + 1 }
            guard let number else { throw error }
            let row = DatabaseCopy.name(ofRow: number, of: pair.table, in: copy, owner: module)
            throw MoveError(module, pair.table.name, row: row, error)
        }
        return sent
    }

    private static func digest(of pair: Pair, _ connection: any DatabaseConnection) throws -> RowDigest {
        var found = RowDigest()
        // Use a cursor, as all rows at once may not fit into memory.
        try connection.execute(
            "DECLARE moved NO SCROLL CURSOR FOR SELECT \(pair.columns.joined(separator: ", ")) FROM \(pair.name)"
        )
        while true {
            let rows = try connection.query("FETCH 5000 FROM moved", []) { row in
                try pair.columns.indices.map { try row.value($0, as: AnyValue.self).databaseValue }
            }
            if rows.isEmpty { break }
            for row in rows { found.add(row) }
        }
        try connection.execute("CLOSE moved")
        return found
    }

    /// A name as the server has it; names without quotes are lowercase there.
    private static func name<Value>(of name: String, in known: [String: Value]) -> String? {
        [name, name.lowercased()].first { known[$0] != nil }
    }

    /// The columns of the module's tables on the server, and whether the server numbers them.
    private static func columns(_ connection: any DatabaseConnection) throws -> [String: [String: Bool]] {
        let rows = try connection.query(
            """
            SELECT table_name::text, column_name::text, is_identity = 'YES' OR column_default LIKE 'nextval(%'
            FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
            WHERE table_schema = current_schema() AND table_name <> 'atrium_migrations'
                AND table_type = 'BASE TABLE'
            """, []
        ) { row in
            (try row.value(0, as: String.self), try row.value(1, as: String.self), try row.value(2) as Bool?)
        }
        var columns: [String: [String: Bool]] = [:]
        for (table, column, isNumbered) in rows { columns[table, default: [:]][column] = isNumbered ?? false }
        return columns
    }

    /// Each table after those that it refers to.
    private static func ordered(_ tables: [DatabaseCopy.Table]) -> [DatabaseCopy.Table] {
        var (ordered, rest) = ([DatabaseCopy.Table](), tables)
        while !rest.isEmpty {
            let names = Set(rest.map(\.name))
            let next = rest.firstIndex { $0.references.isDisjoint(with: names) } ?? 0
            ordered.append(rest.remove(at: next))
        }
        return ordered
    }
}

/// A failure to move a module's data.
package struct MoveError: ExplainedError {
    package let code: ErrorCode = "dataNotMoved"
    package let message: String
    package let hint: String?
    package var cause: (any Error)?
    package var category = ErrorCategory.failure

    fileprivate init(message: String, hint: String) { (self.message, self.hint) = (message, hint) }

    /// The user interrupted the copy.
    package init(interrupted modules: [String]) {
        let list = modules.map { "'\($0)'" }.joined(separator: ", ")
        message = "The copy was interrupted; not copied: \(list)."
        hint = "Start it again: what is there already is compared and stays."
        category = .cancelled
    }

    /// The module is not loaded, so its tables are unknown.
    @MainActor package init(notLoaded module: Module) {
        let reason = module.state.reason.map { ": \($0)" } ?? "."
        message =
            "The data of module '\(module.name)' were not copied, as it is \(module.state.name)\(reason)"
        hint = "Make it work, or leave it out of modules.json, then copy again; what was copied stays."
    }

    fileprivate init(_ module: String, _ table: String, _ problem: String) {
        message = "The data of module '\(module)' were not copied: its table '\(table)' \(problem)."
        hint = "Copy into an empty database; nothing of this module was changed."
    }

    fileprivate init(_ module: String, _ table: String, row: String, _ cause: DatabaseError) {
        message =
            "The data of module '\(module)' were not copied, because of the row with \(row) of its table "
            + "'\(table)': \(cause.message)"
        hint = "Correct or delete the row, then copy again; nothing of this module was changed."
        self.cause = cause
    }

    fileprivate init(_ module: String, empty file: String) {
        message = "The data of module '\(module)' were not copied: '\(file)' is empty."
        hint = "Restore the file from a backup; if the module never had data, remove it. Then copy again."
    }

    fileprivate init(_ module: String, damaged file: String, _ cause: any Error) {
        message = "The data of module '\(module)' were not copied: '\(file)' is damaged."
        hint = "Restore the file from a backup, then copy again."
        self.cause = cause
    }
}

/// A digest of rows that does not depend on their order: the sum of the digests of each.
private struct RowDigest: Equatable, CustomStringConvertible {
    private var sum: UInt64 = 0, other: UInt64 = 0
    private(set) var count = 0

    mutating func add(_ row: [DatabaseValue]) {
        var bytes: [UInt8] = []
        for value in row {
            switch value {
            case .null: bytes.append(0)
            case .integer(let integer): append(1, UInt64(bitPattern: integer), to: &bytes)
            case .real(let real): append(2, real.bitPattern, to: &bytes)
            case .text(let text):
                append(3, UInt64(text.utf8.count), to: &bytes)
                bytes += text.utf8
            case .blob(let blob):
                append(4, UInt64(blob.count), to: &bytes)
                bytes += blob
            }
        }
        let digest = ContentDigest(of: bytes).bytes
        sum &+= Self.number(digest[0..<8])
        other &+= Self.number(digest[8..<16])
        count += 1
    }

    private func append(_ kind: UInt8, _ number: UInt64, to bytes: inout [UInt8]) {
        bytes.append(kind)
        withUnsafeBytes(of: number) { bytes += $0 }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    var description: String { withUnsafeBytes(of: sum.bigEndian) { Array($0) }.hexadecimal }
}

private struct AnyValue: DatabaseConvertible {
    static let databaseTypeName = "a value"
    let databaseValue: DatabaseValue

    init?(databaseValue: DatabaseValue) { self.databaseValue = databaseValue }
}
