import AtriumKit

/// Numbers in the module's own database.
struct LocalNumberService: NumberService {
    /// To change the table, add a migration; never edit one that was released.
    static let migrations = [
        Migration(
            1, "create series",
            sql: "CREATE TABLE series (name TEXT PRIMARY KEY, last BIGINT NOT NULL)")
    ]

    let database: any Database
    let settings: NumberSettings

    func next(in series: String) async throws -> Int {
        try await database.write { [settings] connection in
            let numbers: [Int] = try connection.query(
                """
                INSERT INTO series (name, last) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET last = series.last + 1 RETURNING last
                """,
                [series.databaseValue, settings.firstNumber.databaseValue]
            ) { try $0.value(0) }
            return numbers[0]
        }
    }

    func series() async throws -> [Series] {
        try await database.read { connection in
            try connection.query("SELECT name, last FROM series ORDER BY name", []) { row in
                Series(name: try row.value(0), last: try row.value(1))
            }
        }
    }
}
