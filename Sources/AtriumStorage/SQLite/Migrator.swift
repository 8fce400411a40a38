@_spi(Host) internal import AtriumKit
internal import CSQLite

/// Migrates a module's tables to the newest version.
struct Migrator: Sendable {
    private let migrations: [Migration]
    /// The fault in the migration numbers; if there is one, no file is opened.
    let fault: DatabaseError?

    init(_ migrations: [Migration], of owner: String) {
        self.migrations = migrations
        fault = DatabaseError.fault(of: migrations, owner, on: .sqlite) ?? Self.cut(migrations, owner)
    }

    /// SQLite would run such a text up to the zero, and ignore the rest.
    private static func cut(_ migrations: [Migration], _ owner: String) -> DatabaseError? {
        migrations.first { $0.sql(for: .sqlite)?.utf8.contains(0) == true }.map { migration in
            DatabaseError(
                code: "badMigrations",
                message:
                    "Migration \(migration.version) '\(migration.name)' of module '\(owner)' contains U+0000.",
                hint: "Remove it: SQLite takes it for the end of the text.")
        }
    }

    /// Runs the missing migrations: all or none.
    ///
    /// - Throws: ``DatabaseError``; the file is unchanged.
    func migrate(_ handle: SQLiteHandle) throws {
        guard try begin(handle) else { return }
        do {
            try handle.commit()
        } catch {
            _ = handle.rollBack()
            throw error
        }
    }

    /// Begins a transaction and runs the missing migrations in it.
    ///
    /// - Returns: True if a transaction is open; false if no migration was missing.
    /// - Throws: ``DatabaseError``; no transaction is open.
    func begin(_ handle: SQLiteHandle) throws -> Bool {
        if try version(of: handle) == migrations.count { return false }
        try handle.begin(.writing)
        do {
            // Another process may have migrated the file meanwhile.
            let version = try version(of: handle)
            for migration in migrations[version...] { try run(migration, on: handle, from: version) }
            if version == migrations.count { _ = handle.rollBack() }
            return version < migrations.count
        } catch {
            _ = handle.rollBack()
            throw error
        }
    }

    private func run(_ migration: Migration, on handle: SQLiteHandle, from version: Int) throws {
        handle.callbacks.refusal = nil
        // A missing variant is a fault, with which no file is opened.
        let script = migration.sql(for: .sqlite) ?? ""
        let marks =
            "PRAGMA user_version = \(migration.version); PRAGMA application_id = \(mark(migration.version))"
        guard var failure = handle.run(script, isOfHost: false) ?? handle.run(marks) else { return }
        if handle.isCancellation(failure) { throw CancellationError() }
        switch handle.callbacks.refusal {
        case .transactionControl: failure.words = "it begins or ends a transaction"
        case .attaching: failure.words = "it attaches or detaches another database"
        case .setting: failure.words = "it changes a setting that outlives it"
        case .notReading, .hidden, nil: break
        }
        throw DatabaseError.migration(migration, failed: failure, at: handle.location, stays: version)
    }

    /// Returns the version of the file, unless it is newer than the migrations, or others made its tables.
    private func version(of handle: SQLiteHandle) throws -> Int {
        let version = try handle.version()
        guard version <= migrations.count else {
            throw DatabaseError.newer(version: version, known: migrations.count, at: handle.location)
        }
        let mark = try version > 0 ? handle.number("PRAGMA application_id") : 0
        // Files of earlier hosts have no mark.
        guard mark == 0 || mark == self.mark(version) else {
            throw DatabaseError.changedMigrations(to: version, at: handle.location)
        }
        return version
    }

    /// The mark of the migrations up to a version, which the file keeps as its application id: FNV-1a of
    /// their statements, never 0.
    private func mark(_ version: Int) -> Int64 {
        var hash: UInt32 = 2_166_136_261
        for migration in migrations.prefix(version) {
            for byte in (migration.sql(for: .sqlite) ?? "").utf8 {
                hash = (hash ^ UInt32(byte)) &* 16_777_619
            }
            hash &*= 16_777_619
        }
        return hash == 0 ? 1 : Int64(Int32(bitPattern: hash))
    }
}

extension SQLiteHandle {
    /// The schema version of the file; 0 in a new one.
    func version() throws -> Int {
        let statement = try statement("PRAGMA user_version")
        defer { release(statement) }
        guard try step(statement) else { return 0 }
        let version = Int(sqlite3_column_int64(statement.pointer, 0))
        guard version >= 0 else {
            let failure = SQLiteFailure(resultCode: SQLITE_CORRUPT, words: "its version is \(version)")
            throw DatabaseError.sqlite(failure, at: location)
        }
        return version
    }
}
