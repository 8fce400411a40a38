@_spi(Host) import AtriumKit

/// Migrates a module's schema to the newest version.
struct Migrator: Sendable {
    let explainer: Explainer
    private let migrations: [(migration: Migration, sql: String)]

    /// The name of the module's schema, in quotes.
    var schema: String { "\"\(explainer.owner)\"" }

    /// - Throws: ``DatabaseError`` if the migrations are misnumbered, or one has no PostgreSQL statements.
    init(_ migrations: [Migration], of owner: String) throws {
        if let fault = DatabaseError.fault(of: migrations, owner, on: .postgresql) { throw fault }
        explainer = Explainer(owner: owner)
        self.migrations = migrations.compactMap { migration in
            migration.sql(for: .postgresql).map { (migration, $0) }
        }
    }

    /// Creates a migrator for tables of the engine itself.
    init(of owner: String, _ migrations: [(Migration, String)]) {
        explainer = Explainer(owner: owner)
        self.migrations = migrations
    }

    /// Runs the missing migrations in a separate transaction.
    func migrate(_ connection: ServerConnection) throws {
        if try isNewest(connection) { return }
        _ = try begin(connection)
        do {
            try connection.run("COMMIT")
        } catch let failure as ServerFailure {
            throw explainer.error(failure)
        }
    }

    /// Begins a transaction and runs the missing migrations in it; other hosts wait.
    ///
    /// - Returns: The version before.
    /// - Throws: ``DatabaseError``; no transaction is open.
    func begin(_ connection: ServerConnection) throws -> Int {
        do {
            return try beginOnce(connection)
        } catch let error as DatabaseError where (error.cause as? ServerFailure)?.isCatalogConflict == true {
            // Another module created the same extension meanwhile; now it exists.
            return try beginOnce(connection)
        }
    }

    private func beginOnce(_ connection: ServerConnection) throws -> Int {
        do {
            // Not serializable: commits by another host while this one waited for the lock must be visible.
            try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED")
            // Another host's migrations may take long.
            try connection.run("SET LOCAL lock_timeout = 0")
            try run(
                "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", ["atrium \(explainer.owner)"],
                connection)
            try connection.run("SET LOCAL lock_timeout = \(connection.lockLimit)")
            try createSchema(connection)
            try connection.run("SET LOCAL search_path TO \(schema)")
            let version = try version(connection)
            for (migration, sql) in migrations.dropFirst(version) {
                do {
                    try connection.run(sql)
                } catch let failure as ServerFailure where failure.state != nil {
                    throw explainer.failed(migration, failure, stays: version)
                }
                guard connection.isInTransaction else {
                    let failure = ServerFailure(words: "it begins or ends a transaction")
                    throw explainer.failed(migration, failure, stays: version)
                }
                try run(
                    Self.note,
                    [
                        String(migration.version), migration.name, sql,
                        migration.isBackwardCompatible ? "true" : "false",
                    ], connection)
            }
            return version
        } catch {
            _ = try? connection.run("ROLLBACK")
            if let failure = error as? ServerFailure { throw explainer.unmigratable(failure) }
            throw error
        }
    }

    var count: Int { migrations.count }

    private static let note = """
        INSERT INTO atrium_migrations (version, name, checksum, compatible)
        VALUES (?::int, ?, encode(sha256(convert_to(?, 'UTF8')), 'hex'), ?::boolean)
        """

    /// True if no migration is missing, without taking a lock.
    ///
    /// - Throws: ``DatabaseError`` if the tables are newer, or were made by other migrations.
    private func isNewest(_ connection: ServerConnection) throws -> Bool {
        do {
            let table = try run("SELECT to_regclass(?)", ["\(schema).atrium_migrations"], connection)
            guard table.text(0, 0) != nil else { return false }
            try connection.run("BEGIN; SET LOCAL search_path TO \(schema)")
            defer { _ = try? connection.run("ROLLBACK") }
            return try version(connection) >= migrations.count
        } catch let failure as ServerFailure {
            throw explainer.error(failure)
        }
    }

    private func createSchema(_ connection: ServerConnection) throws {
        // A role without the right to create a schema can use an existing one.
        let found = try run("SELECT 1 FROM pg_namespace WHERE nspname = ?", [explainer.owner], connection)
        if found.rowCount == 0 { try connection.run("CREATE SCHEMA \(schema)") }
        try connection.run(
            """
            CREATE TABLE IF NOT EXISTS \(schema).atrium_migrations (
                version integer PRIMARY KEY,
                name text NOT NULL,
                checksum text NOT NULL,
                applied timestamptz NOT NULL DEFAULT now()
            );
            ALTER TABLE \(schema).atrium_migrations
            ADD COLUMN IF NOT EXISTS compatible boolean NOT NULL DEFAULT false
            """)
    }

    /// Returns the version of the tables, after checking that these migrations made them.
    private func version(_ connection: ServerConnection) throws -> Int {
        let done = try run("SELECT version, checksum FROM atrium_migrations ORDER BY version", [], connection)
        let version = done.rowCount
        if version > migrations.count {
            let breaking = try run(
                "SELECT 1 FROM atrium_migrations WHERE version > ?::int AND NOT compatible",
                [String(migrations.count)], connection)
            guard breaking.rowCount == 0 else { throw explainer.newer(version, known: migrations.count) }
        }
        for (index, (migration, sql)) in migrations.prefix(version).enumerated() {
            let checksum = try run("SELECT encode(sha256(convert_to(?, 'UTF8')), 'hex')", [sql], connection)
            guard checksum.text(0, 0) == done.text(index, 1) else { throw explainer.changed(migration) }
        }
        return version
    }

    @discardableResult
    private func run(
        _ sql: String, _ arguments: [String], _ connection: ServerConnection
    ) throws -> ServerResult {
        let statement = try connection.statement(sql, in: schema)
        return try connection.run(statement, arguments.map { .text($0) }, nil)
    }
}
