import AtriumKit
import AtriumStorage
import FoundationEssentials
import TestSupport
import Testing

@Suite("Copies of databases in use") struct DatabaseCopyTests {
    /// More than the size up to which a sample is the whole database.
    private static let large = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2499)
        INSERT INTO %@ SELECT i, CASE WHEN i % 2 = 0 THEN i + 1 END, zeroblob(8000), 'lamp ' || i FROM n
        """

    private static let migrations = [
        Migration(
            1, "create",
            sql: """
                CREATE TABLE items(
                    id INTEGER PRIMARY KEY, parent INTEGER REFERENCES items(id), data BLOB, "the name" TEXT,
                    long INTEGER AS (length(data)) STORED);
                CREATE INDEX byParent ON items(parent);
                CREATE VIRTUAL TABLE search USING fts5("the name", content='items', content_rowid='id');
                CREATE TABLE log(entry TEXT);
                CREATE TRIGGER logged AFTER INSERT ON items BEGIN INSERT INTO log VALUES ('new'); END;
                CREATE VIEW lamps AS SELECT * FROM items;
                """)
    ]

    private let folder = TemporaryFolder()
    private let items: TestDatabase
    private var copy: String { folder.path("copy.sqlite") }

    init() async throws {
        items = TestDatabase(folder, migrations: Self.migrations)
        let sql = Self.large.replacing("%@", with: "items(id, parent, data, \"the name\")")
        _ = try await items.database.write { try $0.execute(sql) }
    }

    private func count(_ sql: String) async throws -> Int {
        let database = SQLiteDatabase(path: copy, owner: "Copy", migrations: Self.migrations)
        let count = try await database.read { try $0.first(sql) { try $0.value(0, as: Int.self) } ?? -1 }
        await database.close()
        return count
    }

    @Test("A sample of a large database has its schema, some rows of each table, and no orphans")
    func sample() async throws {
        let before = try FileContents.read(items.path, limit: 1 << 30)

        try DatabaseCopy.sample(of: items.path, to: copy, owner: "Notes")

        #expect(try FileContents.read(items.path, limit: 1 << 30) == before)
        #expect(try DatabaseCopy.version(of: copy, owner: "Notes") == 1)
        // Row 1,000 refers to row 1,001, which is not in the sample.
        #expect(try await count("SELECT count(*) FROM items") == 999)
        #expect(try await count("SELECT count(*) FROM pragma_foreign_key_check") == 0)
        #expect(try await count("SELECT count(*) FROM search('lamp')") == 999)
        #expect(
            try await count(
                "SELECT count(*) FROM sqlite_schema WHERE name IN ('byParent', 'logged', 'lamps')")
                == 3)
    }

    @Test("A sample of a small database is all of it")
    func small() async throws {
        let small = TemporaryFolder()
        let notes = TestDatabase(small)
        try await notes.insert("a", "b")

        try DatabaseCopy.sample(of: notes.path, to: copy, owner: "Notes")

        #expect(try DatabaseCopy.rowCounts(of: copy, owner: "Notes").map(\.table) == ["notes"])
        #expect(try DatabaseCopy.rowCounts(of: copy, owner: "Notes").map(\.rows) == [2])
    }

    @Test("A database is copied whole, with what is only in its log, and put back while it is open")
    func restores() async throws {
        let small = TemporaryFolder()
        let notes = TestDatabase(small)
        try await notes.insert("a")
        try DatabaseCopy.whole(notes.path, to: copy, owner: "Notes")
        try await notes.insert("b")

        try DatabaseCopy.restore(copy, to: notes.path, owner: "Notes")

        #expect(try await notes.texts() == ["a"])
        try await notes.insert("c")
        #expect(try await notes.texts() == ["a", "c"])
    }

    @Test("A sample that fails leaves no file, which would look like damaged data")
    func failedSample() throws {
        let broken = folder.write(Array(repeating: 0x41, count: 8192), to: "broken.sqlite")

        #expect(throws: DatabaseError.self) {
            try DatabaseCopy.sample(of: broken, to: folder.path("sample.sqlite"), owner: "Notes")
        }

        #expect(!FileManager.default.fileExists(atPath: folder.path("sample.sqlite")))
    }

    @Test("Migrations that are tried on a copy don't reach the database")
    func tries() async throws {
        let small = TemporaryFolder()
        let notes = TestDatabase(small)
        try await notes.insert("a")
        try DatabaseCopy.sample(of: notes.path, to: copy, owner: "Notes")
        let next = TestDatabase.migrations + [Migration(2, "lose", sql: "DROP TABLE notes")]

        try DatabaseCopy.tryMigrations(next, on: copy, owner: "Notes")

        #expect(try DatabaseCopy.version(of: copy, owner: "Notes") == 2)
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A database is closed after its version and its rows were read")
    func closes() async throws {
        let small = TemporaryFolder()
        let notes = TestDatabase(small)
        try await notes.insert("a")
        await notes.database.close()

        _ = try DatabaseCopy.version(of: notes.path, owner: "Notes")
        _ = try DatabaseCopy.rowCounts(of: notes.path, owner: "Notes")

        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        #expect(open.filter { $0.hasPrefix(small.path) } == [])
    }
}
