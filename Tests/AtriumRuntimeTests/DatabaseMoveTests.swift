@_spi(Host) import AtriumKit
import AtriumStorage
import PostgreSQL
import TestSupport
import Testing

@testable import AtriumBackup

@Suite("Moving a module's data to PostgreSQL", .timeLimit(.minutes(2)))
struct DatabaseMoveTests {
    private let name = "Notes\(UInt64.random(in: 0 ... .max))"
    private let folder = TemporaryFolder()
    private static let migrations = [
        Migration(
            1, "create notes", sqlite: "CREATE TABLE notes (id INTEGER PRIMARY KEY, size INTEGER)",
            postgresql: "CREATE TABLE notes (id bigint PRIMARY KEY, size bigint CHECK (size >= 0))")
    ]

    /// The failure to move three notes, of which the second has a size.
    private func failure(size: Int, at options: String = "") async throws -> (any ExplainedError)? {
        let path = folder.path("\(name).sqlite")
        let file = SQLiteDatabase(path: path, owner: name, migrations: Self.migrations)
        _ = try await file.write {
            try $0.execute("INSERT INTO notes VALUES (1, 0), (7, ?), (8, 0)", [size.databaseValue])
        }
        await file.close()
        let url = try PostgreSQLServer.shared().url
        let tables = { url in
            try PostgreSQLEngine().database(of: name, migrations: Self.migrations, at: url)
        }
        _ = try await tables(url).read { try $0.execute("SELECT 1", []) }
        do {
            _ = try await DatabaseMove(path, of: name, Self.migrations).run(to: tables(url + options))
            return nil
        } catch { return error as? any ExplainedError }
    }

    @Test("A row that the server refuses is named")
    func refusedRow() async throws {
        let error = try await failure(size: -1)

        #expect(error?.code == "dataNotMoved")
        #expect(error?.message.contains("because of the row with id 7 of its table 'notes'") == true)
    }

    @Test("A failure that is about no row names none")
    func readOnly() async throws {
        let error = try await failure(size: 0, at: "&options=-c%20default_transaction_read_only%3Don")

        #expect(error?.code == .databaseUnwritable)
        #expect(error?.message.contains("row") == false, "\(error?.message ?? "")")
    }
}
