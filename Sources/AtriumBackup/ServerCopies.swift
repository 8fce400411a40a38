@_spi(Host) package import AtriumKit

/// A database on a server: its name, and a random id that a copy made with `createdb --template` shares.
struct DatabaseIdentity: Codable, Equatable, Sendable {
    let name: String
    let id: String
}

/// A copy of the modules' tables, and the database that has it.
struct ServerCopy: Codable, Equatable, Sendable {
    let id: String
    let database: DatabaseIdentity

    /// A new copy, which is not made yet.
    init(in database: DatabaseIdentity) { (id, self.database) = (ServerCopies.newID(), database) }
}

/// Copies of the modules' tables on a database server, for snapshots.
///
/// Each is in the schema `atrium_snapshots` of the database: a table for each table of a module, and the next
/// number of each sequence. Saving is one transaction that blocks no other; a reset is one that keeps other
/// changes out of the tables, while the former rows can be read.
package struct ServerCopies: Sendable {
    /// The schema's name; no name of a module has an underscore.
    package static let owner = "atrium_snapshots"
    package static let migrations = [
        Migration(
            1, "create copies",
            postgresql: """
                CREATE TABLE tables (
                    copy text NOT NULL, module text NOT NULL, name text NOT NULL,
                    columns text NOT NULL, copied text NOT NULL,
                    PRIMARY KEY (copy, module, name)
                );
                CREATE TABLE sequences (
                    copy text NOT NULL, path text NOT NULL, next bigint NOT NULL,
                    PRIMARY KEY (copy, path)
                );
                CREATE TABLE resets (
                    token text PRIMARY KEY, committed boolean NOT NULL,
                    at timestamptz NOT NULL DEFAULT clock_timestamp()
                );
                CREATE TABLE identity (id text NOT NULL);
                INSERT INTO identity VALUES (gen_random_uuid()::text);
                """)
    ]

    /// Opens the schema of the copies.
    private let open: @Sendable () -> any ManagedDatabase

    package init(open: @escaping @Sendable () -> any ManagedDatabase) { self.open = open }

    /// The schema versions of modules in a copy, and its size.
    struct Saved: Sendable {
        let id: String
        var versions: [String: Int] = [:]
        var byteCount = 0
    }

    /// A name for a copy, or for the record of a reset.
    static func newID() -> String { String(IDSource.random.next().prefix(16)) }

    /// Loads the engine and makes the schema of the copies.
    ///
    /// Call it outside of a change of modules: the engine's module is loaded by a change, which would wait.
    nonisolated(nonsending) func prepare() async throws { try await open().read { _ in } }

    /// The database that the host uses.
    nonisolated(nonsending) func database() async throws -> DatabaseIdentity {
        try await open().read { connection in
            let found = try connection.first("SELECT current_database()::text, id FROM identity", []) {
                DatabaseIdentity(name: try $0.value(0), id: try $0.value(1))
            }
            return found ?? DatabaseIdentity(name: "", id: "")
        }
    }

    /// Copies the tables of modules as they are at one moment.
    ///
    /// - Throws: ``BackupError``, ``DatabaseError``; there is no copy then.
    nonisolated(nonsending) func save(_ id: String, of modules: [String]) async throws -> Saved {
        try await open().write { connection in
            let tables = try ModuleTables(of: modules, connection)
            return try tables.copy(as: id, connection)
        }
    }

    /// Returns the tables to a copy, and keeps a copy of the present rows.
    ///
    /// - Parameters:
    ///   - id: The copy to return to.
    ///   - modules: The names of the modules.
    ///   - former: The new copy of the present rows.
    ///   - old: A copy that is no longer needed.
    ///   - token: What ``hasCommitted(_:)`` is asked about later.
    ///   - check: Takes the schema versions of the present tables; throws if they don't fit the copy.
    /// - Returns: The description of the copy of the present rows.
    /// - Throws: ``BackupError``, ``DatabaseError``; nothing has changed then, unless its code is
    ///   `databaseOutcomeUnknown`.
    nonisolated(nonsending) func reset(
        to id: String, of modules: [String], keeping former: String, dropping old: String?, token: String,
        _ check: @escaping @Sendable ([String: Int]) throws -> Void
    ) async throws -> Saved {
        let database = open()
        // Its transaction sees each commit that came before its locks, which a SERIALIZABLE one would not.
        database.stage()
        do {
            let saved = try await database.write { connection in
                let tables = try ModuleTables.locked(modules, connection)
                let saved = try tables.copy(as: former, connection)
                try check(saved.versions)
                try tables.replace(by: id, connection)
                if let old { try Self.drop(old, connection) }
                try connection.execute(
                    "DELETE FROM resets WHERE at < clock_timestamp() - interval '90 days'")
                try connection.execute(
                    "INSERT INTO resets (token, committed) VALUES (?, true)", [.text(token)])
                // Only the modules know their topics.
                connection.announce(.everything)
                return saved
            }
            try database.publish()
            return saved
        } catch {
            database.discard()
            throw error
        }
    }

    /// True if the reset with this token was committed; otherwise it never will be.
    nonisolated(nonsending) func hasCommitted(_ token: String) async throws -> Bool {
        try await open().write { connection in
            // Waits for the end of a transaction that has inserted it, and keeps a later one out.
            try connection.execute(
                "INSERT INTO resets (token, committed) VALUES (?, false) ON CONFLICT DO NOTHING",
                [.text(token)])
            return try connection.first("SELECT committed FROM resets WHERE token = ?", [.text(token)]) {
                try $0.value(0, as: Bool.self)
            } ?? false
        }
    }

    /// Deletes a copy, if it is there.
    nonisolated(nonsending) func delete(_ id: String) async throws {
        try await open().write { try Self.drop(id, $0) }
    }

    private static func drop(_ id: String, _ connection: any DatabaseConnection) throws {
        let copied = try connection.query("SELECT copied FROM tables WHERE copy = ?", [.text(id)]) {
            try $0.value(0, as: String.self)
        }
        for table in copied { try connection.execute("DROP TABLE IF EXISTS \(table)") }
        try connection.execute("DELETE FROM tables WHERE copy = ?", [.text(id)])
        try connection.execute("DELETE FROM sequences WHERE copy = ?", [.text(id)])
    }
}
