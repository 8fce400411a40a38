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
}
