import AtriumKit
import Synchronization
import TestSupport
import Testing

@testable import AtriumStorage

@Suite struct StatementTests {
    @Test(
        "Writing inside `read` is refused and changes nothing",
        arguments: [
            "INSERT INTO notes(text) VALUES ('b')", "DELETE FROM notes", "CREATE TABLE other(id)",
            "REINDEX",
        ])
    func writeInsideRead(sql: String) async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        let error = await notes.error(reading: true) { _ = try $0.execute(sql) }

        #expect(error?.code == .databaseFailure)
        #expect(
            error?.message
                == "Module 'Notes' runs a statement that writes inside read; use write: \"\(sql)\".")
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A wrong number of arguments is an error")
    func argumentCount() async throws {
        let notes = TestDatabase()

        let few = await notes.error { _ = try $0.execute("INSERT INTO notes VALUES (?, ?)", [.null]) }
        let many = await notes.error { _ = try $0.query("SELECT 1", [.null, .null]) { _ in } }

        #expect(
            few?.message
                == "Module 'Notes' gives 1 argument to a statement that takes 2: \"INSERT INTO notes VALUES (?, ?)\"."
        )
        #expect(
            many?.message == "Module 'Notes' gives 2 arguments to a statement that takes 0: \"SELECT 1\".")
    }

    @Test(
        "A text that does not hold exactly one statement is an error",
        arguments: [
            "INSERT INTO notes(text) VALUES ('x'); DROP TABLE notes", "SELECT 1; SELECT 2;", "", "-- nothing",
        ])
    func oneStatement(sql: String) async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        let error = await notes.error { _ = try $0.execute(sql) }

        #expect(error?.code == .databaseFailure)
        #expect(error?.message == "Module 'Notes' must give exactly one statement: \"\(sql)\".")
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A NUL does not end a statement and is printed as a space")
    func nul() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        let error = await notes.error { _ = try $0.execute("SELECT 1\0DROP TABLE notes") }

        #expect(
            error?.message
                == "Module 'Notes' must give exactly one statement: \"SELECT 1 DROP TABLE notes\".")
        #expect(try await notes.texts() == ["a"])
    }

    @Test("Invalid text after the statement is an error")
    func trailingWords() async throws {
        let notes = TestDatabase()

        let error = await notes.error { _ = try $0.query("SELECT 1; nonsense", []) { _ in } }

        #expect(
            error?.message
                == "The database of module 'Notes' reports in \"SELECT 1; nonsense\": near \"nonsense\": syntax error."
        )
    }

    @Test(
        "A semicolon, spaces and comments may follow a statement",
        arguments: [
            "SELECT 1;", "SELECT 1 ; \n\t", "SELECT 1 -- one", "SELECT 1; -- one\n ;; /* two */",
        ])
    func harmlessEnd(sql: String) async throws {
        let notes = TestDatabase()

        let ones = try await notes.database.read { connection in
            try connection.query(sql, []) { try $0.value(0, as: Int.self) }
        }

        #expect(ones == [1])
    }

    @Test(
        "Beginning or ending a transaction is refused, and the closure is rolled back",
        arguments: ["BEGIN", "COMMIT", "END", "ROLLBACK", "/* x */ COMMIT"])
    func transactionControl(sql: String) async throws {
        let notes = TestDatabase()

        let error = await notes.error { connection in
            try connection.execute("INSERT INTO notes(text) VALUES ('lost')")
            try connection.execute(sql)
        }

        #expect(
            error?.message
                == "Module 'Notes' can't begin or end a transaction itself: read and write do: \"\(sql)\".")
        #expect(try await notes.texts() == [])
    }

    @Test("Savepoints work inside a transaction")
    func savepoints() async throws {
        let notes = TestDatabase()

        try await notes.database.write { connection in
            try connection.execute("INSERT INTO notes(text) VALUES ('a')")
            try connection.execute("SAVEPOINT one")
            try connection.execute("INSERT INTO notes(text) VALUES ('b')")
            try connection.execute("ROLLBACK TO one")
            try connection.execute("RELEASE one")
        }

        #expect(try await notes.texts() == ["a"])
    }

    @Test("Another database can't be attached")
    func attach() async throws {
        let notes = TestDatabase()

        let error = await notes.error { _ = try $0.execute("ATTACH ':memory:' AS other") }

        #expect(
            error?.message
                == "Module 'Notes' can't attach or detach another database: \"ATTACH ':memory:' AS other\".")
    }

    @Test(
        "A PRAGMA that outlives its statement is refused, in a closure and in a migration",
        arguments: [
            "PRAGMA writable_schema = ON", "PRAGMA user_version = 9", "PRAGMA query_only = 1",
            "PRAGMA main.locking_mode(EXCLUSIVE)", "PRAGMA hard_heap_limit = 1", "pragma Foreign_Keys = OFF",
            "PRAGMA journal_mode = DELETE",
        ])
    func settings(sql: String) async throws {
        let notes = TestDatabase()
        let migrated = TestDatabase(migrations: [Migration(1, "change a setting", sql: sql)])

        let error = await notes.error { _ = try $0.query(sql, []) { _ in } }
        let migration = await migrated.error(reading: true) { _ in }

        #expect(
            error?.message == "Module 'Notes' can't change a setting that outlives the statement: \"\(sql)\"."
        )
        #expect(migration?.message.contains("it changes a setting that outlives it") == true)
        #expect(try await notes.texts() == [])
    }

    @Test(
        "A PRAGMA that only reads, or ends with the transaction, is allowed",
        arguments: [
            "PRAGMA table_info(notes)", "PRAGMA user_version", "PRAGMA defer_foreign_keys = ON",
            "SELECT name FROM pragma_table_info('notes')", "PRAGMA quick_check(1)",
        ])
    func readingSettings(sql: String) async throws {
        try await TestDatabase().database.write { _ = try $0.query(sql, []) { _ in } }
    }

    @Test("An error names the failing statement, on one line and truncated")
    func failingStatement() async throws {
        let notes = TestDatabase()

        let error = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT *\n  FROM nowhere", []) { _ in }
        }
        let long = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT absent, " + String(repeating: "1, ", count: 500) + "1", []) {
                _ in
            }
        }

        #expect(
            error?.message
                == "The database of module 'Notes' reports in \"SELECT * FROM nowhere\": no such table: nowhere."
        )
        #expect((error?.cause as? any ExplainedError)?.message == "SQLite error 1: no such table: nowhere.")
        #expect(long?.message.count ?? 0 < 300)
        #expect(long?.message.hasSuffix("1, 1…\": no such column: absent.") == true)
    }

    @Test("A query can run while another with the same text is decoded")
    func nestedQueries() async throws {
        let notes = TestDatabase()
        try await notes.insert("a", "b")
        let sql = "SELECT text FROM notes ORDER BY id"

        let pairs = try await notes.database.read { connection in
            try connection.query(sql, []) { row in
                try row.value(0, as: String.self)
                    + connection.query(sql, []) { try $0.value(0, as: String.self) }.joined()
            }
        }

        #expect(pairs == ["aab", "bab"])
    }

    @Test("A statement is reset if decoding throws")
    func throwingDecode() async throws {
        struct Stop: Error {}
        let notes = TestDatabase()
        try await notes.insert("a", "b")
        let sql = "SELECT text FROM notes WHERE text >= ? ORDER BY id"

        let result = try await notes.database.write { connection in
            #expect(throws: Stop.self) { _ = try connection.query(sql, [.text("b")]) { _ in throw Stop() } }
            // A statement that was not reset would lock the table and make DROP TABLE fail.
            try connection.execute("CREATE TABLE copy AS SELECT * FROM notes")
            try connection.execute("DROP TABLE copy")
            return try connection.query(sql, [.text("a")]) { try $0.value(0, as: String.self) }
        }

        #expect(result == ["a", "b"])
    }

    @Test("A statement is compiled once, and the cache is limited")
    func boundedCache() throws {
        let folder = TemporaryFolder()
        let location = DatabaseLocation(owner: "Notes", path: folder.path("notes.sqlite"))
        let handle = try SQLiteHandle.open(location, busyTimeout: .zero, cancellation: CancellationFlag())
        defer { handle.close() }

        for number in 0..<200 {
            let first = try handle.statement("SELECT \(number)")
            handle.release(first)
            let second = try handle.statement("SELECT \(number)")
            handle.release(second)
            #expect(first === second)
        }

        #expect(handle.cachedStatementCount == 64)
    }

    @Test("A statement in use stays valid while many others run")
    func cacheSparesStatementsInUse() async throws {
        let notes = TestDatabase()
        try await notes.insert("a", "b")

        let texts = try await notes.database.read { connection in
            try connection.query("SELECT text FROM notes ORDER BY id", []) { row in
                for number in 0..<100 { _ = try connection.query("SELECT \(number)", []) { _ in } }
                return try row.value(0, as: String.self)
            }
        }

        #expect(texts == ["a", "b"])
    }

    @Test("Cached statements follow changes of a table's columns")
    func changedTable() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let names: @Sendable () async throws -> [String] = {
            try await notes.database.read { connection in
                try connection.first("SELECT * FROM notes") { row in row.columns.map(\.name) } ?? []
            }
        }

        let before = try await names()
        try await notes.database.write { _ = try $0.execute("ALTER TABLE notes ADD COLUMN done INTEGER") }
        let added = try await names()
        try await notes.database.write { _ = try $0.execute("ALTER TABLE notes RENAME COLUMN done TO ready") }
        let renamed = try await names()

        #expect(before == ["id", "text"])
        #expect(added == ["id", "text", "done"])
        #expect(renamed == ["id", "text", "ready"])
    }

    @Test("Using a connection after its closure has ended is an error")
    func escapedConnection() async throws {
        // Not Sendable, and passed out of the closure on purpose.
        struct Smuggled: @unchecked Sendable { let connection: any DatabaseConnection }
        let notes = TestDatabase()
        let box = Mutex<Smuggled?>(nil)
        try await notes.database.write { connection in
            try connection.execute("INSERT INTO notes(text) VALUES ('a')")
            let smuggled = Smuggled(connection: connection)
            box.withLock { $0 = smuggled }
        }
        let smuggled = try #require(box.withLock { $0 })

        let error = #expect(throws: DatabaseError.self) {
            try smuggled.connection.execute("INSERT INTO notes(text) VALUES ('b')")
        }

        #expect(
            error?.message
                == "Module 'Notes' uses a database connection after the closure that received it has ended.")
        #expect(error?.hint == "Call read or write again, and use the connection inside the closure only.")
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A type mismatch or a missing column is reported with its name")
    func mismatch() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        let table = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT text AS t FROM notes", []) { try $0.value("t", as: Int.self) }
        }
        let expression = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT 1.5 AS half", []) { try $0.value(0, as: Int.self) }
        }
        let missing = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT id, text FROM notes", []) {
                try $0.value("tex", as: String.self)
            }
        }
        let outside = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT id, text FROM notes", []) { try $0.value(2, as: String.self) }
        }

        #expect(table?.code == .databaseMismatch)
        #expect(
            table?.message
                == "Column 't' of table 'notes' holds a value of type TEXT, but an integer is expected.")
        #expect(
            expression?.message == "Column 'half' holds a value of type REAL, but an integer is expected.")
        #expect(missing?.message == "The query has no column 'tex'; it has id, text.")
        #expect(outside?.message == "The query has no column '2'; it has id, text.")
    }

    @Test(
        "A text that is not valid UTF-8 is an error that names column and table",
        arguments: ["FF", "41C3", "4100FF"])
    func invalidText(bytes: String) async throws {
        let notes = TestDatabase()
        try await notes.database.write { connection in
            _ = try connection.execute("INSERT INTO notes(text) VALUES (CAST(x'\(bytes)' AS TEXT))")
        }

        let error = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT id, text FROM notes", []) { _ in }
        }

        #expect(error?.code == .databaseMismatch)
        #expect(error?.message == "Column 'text' of table 'notes' holds a text that is not valid UTF-8.")
    }
}
