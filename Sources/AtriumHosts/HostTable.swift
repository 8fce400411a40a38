@_spi(Host) package import AtriumKit
internal import AtriumModules

/// The descriptions of the hosts of a database, in tables that they share.
///
/// A host's row is valid while the host is connected: its `member` is the number of the connection.
package struct HostTable: Sendable {
    let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// The schema's name; no name of a module has an underscore.
    package static let owner = "atrium_hosts"

    package static let migrations = [
        Migration(
            1, "create hosts and events",
            postgresql: """
                CREATE TABLE hosts (
                    member bigint PRIMARY KEY,
                    identity text NOT NULL,
                    name text NOT NULL,
                    process bigint NOT NULL,
                    machine text NOT NULL,
                    version text NOT NULL,
                    modules text NOT NULL,
                    scenes bigint NOT NULL,
                    since bigint NOT NULL,
                    seen bigint NOT NULL
                );
                CREATE TABLE events (
                    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    host text NOT NULL,
                    module text,
                    event text NOT NULL
                );
                """),
        Migration(
            2, "create rollouts",
            postgresql: """
                CREATE TABLE libraries (
                    digest text PRIMARY KEY,
                    module text NOT NULL,
                    version text NOT NULL,
                    machine text NOT NULL,
                    sdk text NOT NULL,
                    "inlinedLayout" bigint NOT NULL,
                    compiler text NOT NULL,
                    bytes bytea NOT NULL,
                    signature bytea NOT NULL
                );
                CREATE TABLE rollouts (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    module text NOT NULL,
                    version text NOT NULL,
                    digest text NOT NULL,
                    batch bigint NOT NULL,
                    wait double precision NOT NULL,
                    state text NOT NULL,
                    outcome text,
                    reason text,
                    host text NOT NULL,
                    began bigint NOT NULL
                );
                CREATE TABLE rollout_hosts (
                    rollout bigint NOT NULL REFERENCES rollouts (id),
                    identity text NOT NULL,
                    name text NOT NULL,
                    state text NOT NULL,
                    previous text,
                    taken text,
                    detail text,
                    at bigint NOT NULL,
                    PRIMARY KEY (rollout, identity)
                );
                """),
        Migration(
            3, "sign rollouts",
            postgresql: """
                ALTER TABLE rollouts ADD COLUMN "order" text;
                ALTER TABLE rollouts ADD COLUMN signature text;
                """),
        Migration(
            4, "keep when libraries were stored",
            postgresql: """
                ALTER TABLE libraries ADD COLUMN stored timestamptz NOT NULL DEFAULT clock_timestamp()
                """
        ).backwardCompatible(),
        // They leave with their library, also if an older host removes it.
        Migration(
            5, "store the contracts of libraries",
            postgresql: """
                CREATE TABLE library_contracts (
                    library text NOT NULL REFERENCES libraries (digest) ON DELETE CASCADE,
                    digest text NOT NULL,
                    name text NOT NULL,
                    version text NOT NULL,
                    bytes bytea NOT NULL,
                    signature bytea NOT NULL,
                    PRIMARY KEY (library, digest)
                )
                """
        ).backwardCompatible(),
    ]

    /// Identifies the database by the system identifier of the server's cluster and the database's name.
    ///
    /// Owners of schemas, or of other databases on the server, can't change it.
    func identity() async throws -> String {
        try await database.read { connection in
            try connection.first(
                """
                SELECT system_identifier::text || '/' || pg_catalog.current_database()::text
                FROM pg_catalog.pg_control_system()
                """, []
            ) { try $0.value(0) } ?? ""
        }
    }

    /// The server's time in microseconds.
    static let now = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

    /// Adds a host, and removes hosts that are no longer connected.
    func join(_ host: SharedHost, as member: Int, _ membership: any DatabaseMembership) async throws {
        try await write(host, as: member)
        let rows = try await database.read { connection in
            try connection.query("SELECT member FROM hosts", []) { try $0.value(0, as: Int.self) }
        }
        // Query the members after the rows, so that a host that joins in between is included.
        let members = try await membership.members()
        let gone = rows.filter { $0 != member && !members.contains($0) }
        try await database.write { connection in
            for member in gone {
                try connection.execute("DELETE FROM hosts WHERE member = ?", [member.databaseValue])
            }
        }
    }

    /// Removes old events and rollouts, and libraries that no host takes or goes back to any more.
    ///
    /// A library stays for a day, as it is stored before its rollout.
    func trim() async throws {
        try await database.write { connection in
            try connection.execute(
                "DELETE FROM events WHERE number <= (SELECT max(number) FROM events) - ?",
                [Self.keptEvents.databaseValue])
            let old = """
                SELECT id FROM rollouts WHERE state NOT IN ('running', 'returning')
                ORDER BY id DESC OFFSET \(Self.keptRollouts)
                """
            try connection.execute("DELETE FROM rollout_hosts WHERE rollout IN (\(old))", [])
            try connection.execute("DELETE FROM rollouts WHERE id IN (\(old))", [])
            _ = try connection.execute(
                """
                DELETE FROM libraries WHERE stored < clock_timestamp() - interval '1 day'
                AND NOT EXISTS (
                    SELECT 1 FROM (
                        SELECT id, digest, "order" FROM rollouts WHERE rollouts.module = libraries.module
                        ORDER BY id DESC LIMIT 3
                    ) AS newest LEFT JOIN rollout_hosts ON rollout = id
                    WHERE libraries.digest IN (newest.digest, previous, taken)
                    OR strpos("order", libraries.digest) > 0
                )
                """, [])
        }
    }

    /// Stores a host's present state.
    func write(_ host: SharedHost, as member: Int) async throws {
        let modules = try StateCoding.encode(host.modules)
        try await database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO hosts (member, identity, name, process, machine, version, modules, scenes, since, seen)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, \(Self.now), \(Self.now))
                ON CONFLICT (member) DO UPDATE
                SET modules = excluded.modules, scenes = excluded.scenes, seen = excluded.seen
                """,
                [
                    member.databaseValue, .text(host.identity), .text(host.name), host.process.databaseValue,
                    .text(host.machine),
                    .text(host.version), .text(modules), host.scenes.databaseValue,
                ])
        }
    }

    /// The connected hosts, in the order in which they joined.
    func hosts(among members: Set<Int>, present: Int?) async throws -> [SharedHost] {
        let rows = try await database.read { connection in
            try connection.query(
                """
                SELECT member, name, process, machine, version, modules, scenes, since, seen, identity
                FROM hosts
                ORDER BY since, member
                """, []
            ) { row in
                var host = SharedHost(
                    identity: try row.value(9), name: try row.value(1), process: try row.value(2),
                    machine: try row.value(3),
                    version: try row.value(4),
                    modules: (try? StateCoding.decode([SharedHost.Module].self, from: row.value(5))) ?? [],
                    scenes: try row.value(6))
                (host.since, host.seen) = (try row.value(7), try row.value(8))
                return (member: try row.value(0, as: Int.self), host: host)
            }
        }
        return rows.filter { members.contains($0.member) }.map { row in
            var host = row.host
            host.isPresent = row.member == present
            return host
        }
    }

    // MARK: - Events

    private static let keptEvents = 10_000
    /// The number of ended rollouts that are kept for hosts that were disconnected.
    static let keptRollouts = 100

    func append(_ events: [JournalEvent], of host: String) async throws {
        let rows = try events.map { ($0.module, try StateCoding.encode($0)) }
        try await database.write { connection in
            for (module, event) in rows {
                try connection.execute(
                    "INSERT INTO events (host, module, event) VALUES (?, ?, ?)",
                    [.text(host), module.databaseValue, .text(event)])
            }
        }
    }

    /// The newest events of all hosts, oldest first; only those of `module` if it is not nil.
    func events(of module: String?, limit: Int) async throws -> [SharedEvent] {
        let condition = module == nil ? "" : "WHERE module = ?"
        return try await database.read { connection in
            try connection.query(
                "SELECT host, event FROM events \(condition) ORDER BY number DESC LIMIT ?",
                (module.map { [.text($0)] } ?? []) + [limit.databaseValue]
            ) { row in
                SharedEvent(
                    host: try row.value(0),
                    event: try StateCoding.decode(JournalEvent.self, from: try row.value(1)))
            }
        }.reversed()
    }
}
