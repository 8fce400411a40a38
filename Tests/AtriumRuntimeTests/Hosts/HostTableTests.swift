@_spi(Host) import AtriumKit
import PostgreSQL
import TestSupport
import Testing

@testable import AtriumHosts

/// What is removed from the tables that hosts share.
@Suite("The tables of hosts", .timeLimit(.minutes(2)))
struct HostTableTests {
    private func table() throws -> HostTable {
        var limits = Limits()
        // A run that is undone uses up ids.
        limits.repeatsWrites = false
        return HostTable(
            try PostgreSQLEngine(limits).database(
                of: "Hosts\(UInt64.random(in: 0 ... .max))", migrations: HostTable.migrations,
                at: PostgreSQLServer.shared().url))
    }

    @Test("Old events and rollouts go, and libraries that no rollout of theirs names")
    func trim() async throws {
        let table = try table()
        try await table.database.write { connection in
            try connection.execute(
                "INSERT INTO events (host, event) SELECT 'one', '{}' FROM generate_series(1, 10500)", [])
            // Rollout N names library N; the first is still running.
            try connection.execute(
                """
                INSERT INTO rollouts (module, version, digest, batch, wait, state, host, began, "order")
                SELECT 'Notes', '1.0.0', 'digest' || n || '.', 1, 0, CASE n WHEN 1 THEN 'running' ELSE 'done' END,
                    'one', 0, 'order of other' || n || '.'
                FROM generate_series(1, 150) AS n
                """, [])
            try connection.execute(
                """
                INSERT INTO rollout_hosts (rollout, identity, name, state, previous, taken, at)
                SELECT id, 'one', 'one', 'done', 'previous' || id || '.', 'taken' || id || '.', 0 FROM rollouts
                """, [])
            for kind in ["digest", "other", "previous", "taken"] {
                try connection.execute(
                    """
                    INSERT INTO libraries
                    (digest, module, version, machine, sdk, "inlinedLayout", compiler, bytes, signature, stored)
                    SELECT '\(kind)' || n || '.', 'Notes', '1', '', '', 1, '', '', '',
                        clock_timestamp() - interval '2 days'
                    FROM generate_series(140, 150) AS n
                    """, [])
            }
            _ = try connection.execute(
                """
                INSERT INTO libraries
                (digest, module, version, machine, sdk, "inlinedLayout", compiler, bytes, signature)
                VALUES ('new', 'Notes', '1', '', '', 1, '', '', '')
                """, [])
        }

        try await table.trim()

        let left = try await table.database.read { connection in
            (
                try connection.first("SELECT count(*), min(number) FROM events") {
                    [try $0.value(0, as: Int.self), try $0.value(1, as: Int.self)]
                },
                try connection.query("SELECT id FROM rollouts ORDER BY id", []) {
                    try $0.value(0, as: Int.self)
                },
                try connection.query("SELECT digest FROM libraries", []) { try $0.value(0, as: String.self) }
            )
        }
        #expect(left.0 == [10_000, 501])
        #expect(left.1 == [1] + Array(51...150))
        let kept = ["digest", "other", "previous", "taken"].flatMap { kind in
            (148...150).map { "\(kind)\($0)." }
        }
        #expect(Set(left.2) == Set(kept + ["new"]))
    }
}
