internal import AtriumKit
internal import CSQLite

/// Migrates a module's tables to the newest version.
struct Migrator: Sendable {
    private let migrations: [Migration]

    /// - Precondition: The versions are 1, 2, 3 and so on.
    init(_ migrations: [Migration], of owner: String) {
        for (index, migration) in migrations.enumerated() {
            precondition(
                migration.version == index + 1,
                "The migrations of module '\(owner)' must have the versions 1, 2, 3 and so on; "
                    + "number \(index + 1) has version \(migration.version).")
        }
        self.migrations = migrations
    }

    /// Runs the missing migrations, each in a transaction of its own.
    ///
    /// - Throws: ``DatabaseError``; earlier migrations stay.
    func migrate(_ handle: SQLiteHandle) throws {
        var version = try Self.version(of: handle)
        while version < migrations.count {
            version = try runNext(after: version, on: handle)
        }
        guard version == migrations.count else {
            throw DatabaseError.newer(version: version, known: migrations.count, at: handle.location)
        }
    }

    private func runNext(after known: Int, on handle: SQLiteHandle) throws -> Int {
        try handle.begin(.writing)
        do {
            // Another process may have migrated the file meanwhile.
            let version = try Self.version(of: handle)
            if version == known { try run(migrations[known], on: handle) }
            try handle.commit()
            return version == known ? known + 1 : version
        } catch {
            _ = handle.rollBack()
            throw error
        }
    }

    private func run(_ migration: Migration, on handle: SQLiteHandle) throws {
        handle.callbacks.refusal = nil
        let script = "\(migration.sql)\n;PRAGMA user_version = \(migration.version)"
        guard var failure = handle.run(script) else { return }
        if handle.isCancellation(failure) { throw CancellationError() }
        switch handle.callbacks.refusal {
        case .transactionControl: failure.words = "it begins or ends a transaction"
        case .attaching: failure.words = "it attaches or detaches another database"
        case nil: break
        }
        throw DatabaseError.migration(migration, failed: failure, at: handle.location)
    }

    private static func version(of handle: SQLiteHandle) throws -> Int {
        let statement = try handle.statement("PRAGMA user_version")
        defer { handle.release(statement) }
        guard try handle.step(statement) else { return 0 }
        let version = Int(sqlite3_column_int64(statement.pointer, 0))
        guard version >= 0 else {
            let failure = SQLiteFailure(resultCode: SQLITE_CORRUPT, words: "its version is \(version)")
            throw DatabaseError.sqlite(failure, at: handle.location)
        }
        return version
    }
}
