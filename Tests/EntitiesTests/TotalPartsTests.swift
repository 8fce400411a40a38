import AtriumKit
import LiveTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable import Entities

/// The parts in which PostgreSQL keeps the totals of entities.
@Suite("Totals in PostgreSQL", .timeLimit(.minutes(2)))
struct TotalPartsTests {
    @Test("Categories without entities leave no parts, whichever connection made and deleted them")
    func emptied() async throws {
        let name = unique("Entities")
        // Each engine has connections of its own, which count in parts of their own.
        let hosts = try (0..<3).map { _ in
            try PostgreSQLEngine().database(
                of: name, migrations: EntityQueries.migrations, at: try PostgreSQLServer.shared().url)
        }
        for (host, first) in zip(hosts, [0, 1_000, 2_000]) {
            try await host.write { connection in
                _ = try connection.execute(
                    """
                    INSERT INTO entities (name, createdAt, updatedAt, nameKey, categoryKey, searchKey)
                    SELECT n, 0, 0, n, 'category ' || n % 1500, n FROM generate_series(?::int, ?::int) AS n
                    """, [first.databaseValue, (first + 999).databaseValue])
            }
        }

        _ = try await hosts[0].write {
            try $0.execute("DELETE FROM entities WHERE categoryKey <> 'category 7'", [])
        }

        let left = try await hosts[1].read { connection in
            try connection.query("SELECT categoryKey FROM totalParts WHERE isTotal = 0", []) {
                try $0.value(0, as: String.self)
            }
        }
        #expect(Set(left) == ["category 7"])
        let totals = try await hosts[1].read { connection in
            try connection.first("SELECT (SELECT count FROM entityTotal), count FROM categoryTotals") {
                [try $0.value(0, as: Int.self), try $0.value(1, as: Int.self)]
            }
        }
        #expect(totals == [2, 2])
    }

    @Test("An update writes the parts of the categories that it changes alone")
    func updated() async throws {
        var limits = Limits()
        limits.connections = 1
        let database = try PostgreSQLEngine(limits).database(
            of: unique("Entities"), migrations: EntityQueries.migrations,
            at: try PostgreSQLServer.shared().url)
        _ = try await database.write {
            try $0.execute(
                """
                INSERT INTO entities (name, createdAt, updatedAt, nameKey, categoryKey, searchKey)
                SELECT n, 0, 0, n, 'category ' || n % 10, n FROM generate_series(1, 1000) AS n
                """, [])
        }
        // Whoever writes a row gives it another xmin.
        let parts = {
            try await database.read { connection in
                try connection.query(
                    "SELECT categoryKey, concat(isTotal, part, count, xmin) FROM totalParts", []
                ) { (try $0.value(0, as: String.self), try $0.value(1, as: String.self)) }
            }.reduce(into: [String: String]()) { $0[$1.0] = $1.1 }
        }
        let created = try await parts()

        _ = try await database.write { try $0.execute("UPDATE entities SET name = 'new'", []) }
        let renamed = try await parts()
        _ = try await database.write {
            try $0.execute(
                "UPDATE entities SET categoryKey = 'category 4' WHERE categoryKey IN ('category 3', 'category 4')",
                [])
        }
        let moved = try await parts()

        #expect(created.count == 11)
        #expect(renamed == created)
        let changed = Set(created.keys).filter { moved[$0] != created[$0] }
        #expect(changed == ["category 3", "category 4"])
        let totals = try await database.read { connection in
            try connection.query(
                "SELECT count FROM categoryTotals WHERE categoryKey IN (?, ?)",
                [
                    .text("category 3"), .text("category 4"),
                ]
            ) { try $0.value(0, as: Int.self) }
        }
        #expect(totals == [200])
    }
}
