@_spi(Host) import AtriumKit
import CSQLite
import TestSupport
import Testing

@testable import AtriumStorage

@Suite struct MigrationTests {
    private static let one = Migration(
        1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)")
    private static let two = Migration(
        2, "add done", sql: "ALTER TABLE notes ADD COLUMN done INTEGER; UPDATE notes SET done = 0; -- all")
    private static let broken = Migration(
        2, "add index", sql: "INSERT INTO notes(text) VALUES ('lost'); CREATE INDEX byDay ON notes(day);")

    @Test("Only missing migrations run")
    func goesUp() async throws {
        let folder = TemporaryFolder()

        let first = TestDatabase(folder, migrations: [Self.one])
        try await first.insert("a")
        await first.database.close()
        let second = TestDatabase(folder, migrations: [Self.one, Self.two])
        let version = try await version(of: second.database)
        try await second.insert("b")
        await second.database.close()
        let third = TestDatabase(folder, migrations: [Self.one, Self.two])

        #expect(version == 2)
        #expect(try await third.texts() == ["a", "b"])
    }

    @Test("A failed migration leaves the database unchanged, is reported and retried at the next use")
    func fails() async throws {
        let folder = TemporaryFolder()
        let before = TestDatabase(folder, migrations: [Self.one])
        try await before.insert("a")
        await before.database.close()
        let notes = TestDatabase(folder, migrations: [Self.one, Self.broken])

        let error = await notes.error(reading: true) { _ in }
        let again = await notes.error(reading: true) { _ in }

        #expect(error?.code == .databaseFailure)
        #expect(error?.message == "Migration 2 'add index' of module 'Notes' failed: no such column: day.")
        #expect(error?.hint == "The database stays at version 1: \(notes.path).")
        #expect(again?.message == error?.message)
        let after = TestDatabase(folder, migrations: [Self.one])
        #expect(try await version(of: after.database) == 1)
        #expect(try await after.texts() == ["a"])
    }

    @Test("Migrations before a failed one are undone with it")
    func partly() async throws {
        let folder = TemporaryFolder()
        let notes = TestDatabase(folder, migrations: [Self.one, Self.broken])

        let error = await notes.error(reading: true) { _ in }

        #expect(error?.hint == "The database stays at version 0: \(notes.path).")
        #expect(try DatabaseCopy.version(of: notes.path, owner: "Notes") == 0)
    }

    @Test("A migration can't end its own transaction")
    func commits() async throws {
        let folder = TemporaryFolder()
        let notes = TestDatabase(
            folder, migrations: [Migration(1, "commit", sql: "CREATE TABLE a(b); COMMIT; CREATE TABLE c(d)")])

        let error = await notes.error(reading: true) { _ in }

        #expect(
            error?.message
                == "Migration 1 'commit' of module 'Notes' failed: it begins or ends a transaction.")
        let after = TestDatabase(folder, migrations: [])
        let tables = try await after.database.read { connection in
            try connection.query("SELECT name FROM sqlite_schema", []) { try $0.value(0, as: String.self) }
        }
        #expect(tables.isEmpty)
    }

    @Test("A database with a newer version is refused with a hint")
    func newer() async throws {
        let folder = TemporaryFolder()
        let new = TestDatabase(folder, migrations: [Self.one, Self.two])
        try await new.insert("a")
        await new.database.close()
        let old = TestDatabase(folder, migrations: [Self.one])

        let error = await old.error(reading: true) { _ in }

        #expect(error?.code == .databaseNewer)
        #expect(
            error?.message
                == "The database of module 'Notes' at \(old.path) has version 2, but this build of the module "
                + "knows versions up to 1.")
        #expect(error?.hint == "Update module Notes, or start with another folder: --data DIR.")
        #expect(try await new.texts() == ["a"])
    }

    @Test("A migration that has run can't be changed; files without a mark are taken as they are")
    func changed() async throws {
        let folder = TemporaryFolder()
        let former = TestDatabase(folder, migrations: [Self.one])
        try await former.insert("a")
        await former.database.close()
        let edited = Migration(1, "create notes", sql: (Self.one.sql(for: .sqlite) ?? "") + "\n")
        let changed = TestDatabase(folder, migrations: [edited, Self.two])

        let error = await changed.error(reading: true) { _ in }

        #expect(error?.code == "badMigrations")
        #expect(
            error?.message
                == "The migrations of module 'Notes' up to 1 are not those that made its tables at "
                + "\(changed.path).")
        try PlainConnection(former.path, owner: "Notes", SQLITE_OPEN_READWRITE).run(
            "PRAGMA application_id = 0")
        #expect(try await changed.texts() == ["a"])
        await changed.database.close()
        #expect(
            await TestDatabase(folder, migrations: [Self.one, Self.two]).error(reading: true) { _ in } != nil)
    }

    @Test("A migration with U+0000 is refused, and no file is made")
    func zero() async throws {
        let cut = Migration(1, "create notes", sql: "CREATE TABLE notes(text)\u{0}; CREATE TABLE more(text)")
        let notes = TestDatabase(TemporaryFolder(), migrations: [cut])

        let error = await notes.error(reading: true) { _ in }

        #expect(error?.code == "badMigrations")
        #expect(error?.message == "Migration 1 'create notes' of module 'Notes' contains U+0000.")
        #expect(FileStatus(of: notes.path) == nil)
    }

    @Test("A negative version is reported as damage, and the file is left unchanged")
    func negative() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        await notes.database.close()
        try PlainConnection(notes.path, owner: "Notes", SQLITE_OPEN_READWRITE).run("PRAGMA user_version = -5")
        let before = try FileContents.read(notes.path)

        let error = await notes.error(reading: true) { _ in }

        #expect(error?.code == .databaseCorrupt)
        #expect(
            error?.message
                == "The database of module 'Notes' at \(notes.path) is damaged: its version is -5.")
        #expect(
            error?.hint == "Restore the file from a copy, or move it away to start with an empty one.")
        #expect(try FileContents.read(notes.path) == before)
    }

    @Test("Four connections that open a new file at once migrate it once", arguments: 0..<20)
    func race(round: Int) async throws {
        let folder = TemporaryFolder()
        let migrations = [Self.one, Self.two]
        let databases = (0..<4).map { _ in TestDatabase.another(folder, migrations: migrations) }

        let versions = try await withThrowingTaskGroup { group in
            for database in databases { group.addTask { try await self.version(of: database) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(versions == [2, 2, 2, 2])
    }

    @Test(
        "Numbers that don't count from 1 are told in words, and no file is made",
        arguments: [
            ([1, 3], "has no migration 2, but has 3"),
            ([2, 3], "has no migration 1, but has 3"),
            ([1, 2, 2], "has migration 2 more than once: 'b', 'c'"),
            ([0, 1], "has a migration 0, but they count from 1"),
            ([-4], "has a migration -4, but they count from 1"),
            ([2, 1], "has its migrations in the order 2, 1"),
        ])
    func versions(numbers: [Int], problem: String) async {
        let migrations = zip(numbers, ["a", "b", "c"]).map { Migration($0, $1, sql: "SELECT 1") }
        let notes = TestDatabase(migrations: migrations)

        let error = await notes.error(reading: true) { _ in }

        #expect(error?.message == "Module 'Notes' \(problem).")
        #expect(DatabaseError.fault(of: migrations, "Notes", on: .sqlite)?.message == error?.message)
        #expect(throws: StorageError.self) { try FileContents.read(notes.path) }
    }

    @Test("Migrations that count from 1 have no fault", arguments: 0..<3)
    func numbered(count: Int) {
        let migrations = (0..<count).map { Migration($0 + 1, "\($0)", sql: "") }

        #expect(DatabaseError.fault(of: migrations, "Notes", on: .sqlite) == nil)
    }

    @Test("A migration may have a variant per engine; without one for SQLite no file is opened")
    func variants() async throws {
        let both = Migration(1, "create notes", sqlite: "CREATE TABLE notes(text)", postgresql: "…")
        let other = Migration(
            2, "index texts", postgresql: "CREATE INDEX texts ON notes USING gin (text)")
        let folder = TemporaryFolder()
        let database = SQLiteDatabase(path: folder.path("notes"), owner: "Notes", migrations: [both, other])

        let error = await #expect(throws: DatabaseError.self) { try await database.read { _ in } }

        #expect(both.sql(for: .sqlite) == "CREATE TABLE notes(text)")
        #expect(other.sql(for: .sqlite) == nil)
        #expect(error?.code == .databaseUnsupported)
        #expect(
            error?.message
                == "Module 'Notes' can't store its data in SQLite: migration 2 'index texts' has no "
                + "statements for it.")
        #expect(folder.names() == [])
        #expect(DatabaseError.fault(of: [both], "Notes", on: .sqlite) == nil)
    }

    private func version(of database: SQLiteDatabase) async throws -> Int {
        try await database.read {
            try $0.first("PRAGMA user_version") { try $0.value(0, as: Int.self) } ?? -1
        }
    }
}
