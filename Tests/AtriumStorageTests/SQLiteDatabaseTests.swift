import AtriumKit
import AtriumStorage
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct SQLiteDatabaseTests {
    @Test("The file is created by the first use")
    func opensLate() async throws {
        let notes = TestDatabase()

        let before = notes.folder.names()
        _ = try await notes.texts()

        #expect(before == [])
        #expect(notes.folder.names().contains("notes.sqlite"))
    }

    @Test("The file, its log and new folders are accessible to their owner only")
    func modes() async {
        await #expect(processExitsWith: .success) {
            umask(0)
            let folder = TemporaryFolder()
            let path = folder.path("state/atrium/notes.sqlite")
            let database = SQLiteDatabase(path: path, owner: "Notes", migrations: TestDatabase.migrations)

            try await database.write { _ = try $0.execute("INSERT INTO notes(text) VALUES ('a')") }

            #expect(mode(path) == 0o600)
            #expect(mode(path + "-wal") == 0o600)
            #expect(mode(path + "-shm") == 0o600)
            #expect(mode(folder.path("state")) == 0o700)
            #expect(mode(folder.path("state/atrium")) == 0o700)
        }
    }

    @Test("The connection is durable, enforces foreign keys and does not trust the schema")
    func settings() async throws {
        let notes = TestDatabase()

        let values = try await notes.database.write { connection in
            try ["journal_mode", "synchronous", "foreign_keys", "trusted_schema"].map { name in
                try connection.query("PRAGMA \(name)", []) { row -> String in
                    if let text = try? row.value(0, as: String.self) { return text }
                    return String(try row.value(0, as: Int.self))
                }
            }
        }

        #expect(values == [["wal"], ["2"], ["1"], ["0"]])
    }

    @Test("Values of every storage class are read as they were written")
    func values() async throws {
        let notes = TestDatabase()
        let values: [DatabaseValue] = [
            .null, .integer(.min), .integer(.max), .real(-0.1), .real(.infinity), .text(""), .text("Grüße 🎈"),
            .text("a\0b"), .text("\0"), .blob([]), .blob([0, 255, 0]),
        ]

        let result = try await notes.database.write { connection in
            try connection.execute("CREATE TABLE boxes(value)")
            for value in values { try connection.execute("INSERT INTO boxes VALUES (?)", [value]) }
            return try connection.query("SELECT value FROM boxes ORDER BY rowid", []) {
                try $0.value(0, as: Raw.self)
            }
        }

        #expect(result.map(\.databaseValue) == values)
    }

    @Test("A row stays valid after the next row is read")
    func rowsAreValues() async throws {
        let notes = TestDatabase()
        try await notes.insert("a", "b", "c")

        let texts = try await notes.database.read { connection in
            try connection.query("SELECT text FROM notes ORDER BY id", []) { $0 }.map {
                try $0.value(0, as: String.self)
            }
        }

        #expect(texts == ["a", "b", "c"])
    }

    @Test("Optional columns read NULL as nil")
    func optionals() async throws {
        let notes = TestDatabase()

        let pair = try await notes.database.read { connection in
            try connection.first("SELECT NULL, 5") { row in
                [try row.value(0, as: Int?.self), try row.value(1, as: Int?.self)]
            }
        }

        #expect(pair == [nil, 5])
    }

    @Test("Execute returns the number of changed rows; RETURNING the values of a new one")
    func changes() async throws {
        let notes = TestDatabase()

        let counts = try await notes.database.write { connection in
            [
                try connection.execute("INSERT INTO notes(text) VALUES ('a'), ('b'), ('c')"),
                try connection.execute("CREATE TABLE other(id)"),
                try connection.execute("DELETE FROM notes WHERE text > 'a'"),
                try connection.execute("UPDATE notes SET text = 'z' WHERE text = 'y'"),
                try connection.execute("SELECT 1"),
                try connection.first("INSERT INTO notes(text) VALUES ('d') RETURNING id") {
                    try $0.value(0)
                } ?? 0,
            ]
        }

        #expect(counts == [3, 0, 2, 0, 0, 2])
    }

    @Test("If the closure throws, its changes are rolled back")
    func rollsBack() async throws {
        struct Stop: Error {}
        let notes = TestDatabase()
        try await notes.insert("before")

        await #expect(throws: Stop.self) {
            try await notes.database.write { connection in
                try connection.execute("INSERT INTO notes(text) VALUES ('lost')")
                throw Stop()
            }
        }

        #expect(try await notes.texts() == ["before"])
    }

    @Test("A failed commit is rolled back")
    func failedCommit() async throws {
        let notes = TestDatabase()
        try await notes.database.write { connection in
            _ = try connection.execute(
                "CREATE TABLE tags(note INTEGER REFERENCES notes(id) DEFERRABLE INITIALLY DEFERRED)")
        }

        let error = await notes.error { connection in
            try connection.execute("INSERT INTO notes(text) VALUES ('lost')")
            try connection.execute("INSERT INTO tags VALUES (99)")
        }

        #expect(error?.code == .foreignKeyViolation)
        #expect(
            error?.message
                == "The database of module 'Notes' refuses the change: FOREIGN KEY constraint failed.")
        #expect(try await notes.texts() == [])
    }

    @Test("A reader sees a consistent state while another connection writes")
    func consistentReads() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let other = TestDatabase.another(notes.folder)
        let latch = Latch()

        let reading = Task {
            try await notes.database.read { connection in
                let count = {
                    try connection.first("SELECT count(*) FROM notes") { try $0.value(0, as: Int.self) }
                }
                let first = try count()
                latch.hold()
                return [first, try count()]
            }
        }
        await latch.reached()
        try await other.write { _ = try $0.execute("INSERT INTO notes(text) VALUES ('b')") }
        latch.open()

        #expect(try await reading.value == [1, 1])
        #expect(try await notes.texts() == ["a", "b"])
    }

    @Test("Closing twice is harmless, and the next use reopens the file")
    func closes() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        await notes.database.close()
        let names = notes.folder.names()
        await notes.database.close()

        #expect(names == ["notes.sqlite"])
        #expect(try await notes.texts() == ["a"])
    }

    @Test("Releasing the database closes its file")
    func closesAtTheEnd() async throws {
        let folder = TemporaryFolder()
        var notes: TestDatabase? = TestDatabase(folder)
        try await notes?.insert("a")

        notes = nil

        // The last connection to a file removes the log.
        await eventually("only the database is left") { folder.names() == ["notes.sqlite"] }
    }

    @Test(
        "A file name with special characters is used literally",
        arguments: [":memory:", "file:a?mode=ro", "a b'c"])
    func names(name: String) async throws {
        let folder = TemporaryFolder()
        let database = SQLiteDatabase(
            path: folder.path(name), owner: "Notes", migrations: TestDatabase.migrations)

        try await database.write { _ = try $0.execute("INSERT INTO notes(text) VALUES ('a')") }
        await database.close()

        #expect(folder.names() == [name])
    }
}

/// Any value in its storage class.
private struct Raw: DatabaseConvertible {
    static let databaseTypeName = "a value"
    let databaseValue: DatabaseValue

    init?(databaseValue: DatabaseValue) {
        self.databaseValue = databaseValue
    }
}
