import AtriumKit
import Foundation
import TestSupport
import Testing

@testable import AtriumStorage

@Suite("Answers of servers that modules keep")
struct AnswerCopiesTests {
    private let folder = TemporaryFolder()

    private func database(_ name: String, _ migration: Migration) -> SQLiteDatabase {
        SQLiteDatabase(path: folder.path("\(name).sqlite"), owner: name, migrations: [migration])
    }

    private func accounts(_ database: SQLiteDatabase) async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT coalesce(account, 'guest') FROM answerCopies ORDER BY 1", []) {
                try $0.value(0)
            }
        }
    }

    @Test("Those for other accounts go, in each database, also while it is in use", arguments: [nil, "ada"])
    func forget(account: String?) async throws {
        let open = database("Open", OfflineStore.migration(1))
        let closed = database("Closed", OfflineStore.migration(1))
        let other = database("Other", Migration(1, "create notes", sql: "CREATE TABLE notes (id INTEGER)"))
        for database in [open, closed] {
            try await database.write { connection in
                for account in ["'ada'", "'bob'", "NULL", "''"] {
                    try connection.execute(
                        "INSERT INTO answerCopies VALUES ('http://x', \(account), 'key', '1', 0)", [])
                }
            }
        }
        _ = try await other.read { _ in 1 }
        await closed.close()
        try Data("no database".utf8).write(to: URL(filePath: folder.path("Damaged.sqlite")))

        let errors = AnswerCopies.forget(allBut: account, in: try DataFolder(explicit: folder.path("")))

        #expect(errors.count == 1 && "\(errors)".contains("Damaged"))
        let expected = account == nil ? ["guest"] : ["ada", "guest"]
        #expect(try await accounts(open) == expected)
        #expect(try await accounts(database("Closed", OfflineStore.migration(1))) == expected)
    }
}
