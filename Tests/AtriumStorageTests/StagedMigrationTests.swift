import AtriumKit
import AtriumStorage
import TestSupport
import Testing

@Suite("Migrations as part of a change of the modules") struct StagedMigrationTests {
    private static let one = Migration(
        1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT UNIQUE)")
    private static let two = Migration(2, "add done", sql: "ALTER TABLE notes ADD COLUMN done INTEGER")
    private static let three = Migration(3, "lose all", sql: "DELETE FROM notes; DROP TABLE missing")

    private let folder = TemporaryFolder()
    private let old: TestDatabase

    init() async throws {
        old = TestDatabase(folder, migrations: [Self.one])
        try await old.insert("a")
    }

    private func staged(_ migrations: [Migration]) -> TestDatabase {
        let next = TestDatabase(folder, migrations: migrations)
        next.database.stage()
        return next
    }

    private var version: Int? { get throws { try DatabaseCopy.version(of: old.path, owner: "Notes") } }

    @Test("Nobody else sees a migration before it is published")
    func publishes() async throws {
        let next = staged([Self.one, Self.two])

        let before = try await next.database.prepare()
        let unpublished = try version
        let seen = try await old.texts()
        try next.database.publish()

        #expect(before == 1)
        #expect(unpublished == 1)
        #expect(seen == ["a"])
        #expect(try version == 2)
        try await old.insert("b")
        #expect(try await next.texts() == ["a", "b"])
    }

    @Test("What the module writes before publication is part of the change")
    func writes() async throws {
        let next = staged([Self.one, Self.two])

        _ = try await next.database.write { try $0.execute("INSERT INTO notes(text, done) VALUES ('b', 1)") }
        let error = await next.error { try $0.execute("INSERT INTO notes(text) VALUES ('b')") }
        let inside = try await next.texts()
        let outside = try await old.texts()
        next.database.discard()

        #expect(error?.code == .uniqueViolation)
        #expect(inside == ["a", "b"])
        #expect(outside == ["a"])
        #expect(try await old.texts() == ["a"])
        #expect(try version == 1)
        try await old.insert("c")
    }

    @Test("After a refused change, the build that was refused can't use the database")
    func discarded() async throws {
        let next = staged([Self.one, Self.two])
        _ = try await next.database.prepare()
        next.database.discard()

        let error = await next.error { try $0.execute("DELETE FROM notes") }

        #expect(
            error?.message == "This build of module 'Notes' was refused, so it can't use the database.")
        #expect(try version == 1)
        #expect(try await old.texts() == ["a"])
    }

    @Test("A failing migration leaves everything as it was")
    func fails() async throws {
        let next = staged([Self.one, Self.two, Self.three])

        let error = await #expect(throws: DatabaseError.self) { try await next.database.prepare() }

        #expect(error?.message == "Migration 3 'lose all' of module 'Notes' failed: no such table: missing.")
        #expect(error?.hint == "The database stays at version 1: \(old.path).")
        #expect(try version == 1)
        #expect(try await old.texts() == ["a"])
    }

    @Test("Without a file, or without a missing migration, nothing is opened or changed")
    func nothing() async throws {
        let empty = TestDatabase(TemporaryFolder(), migrations: [Self.one])
        empty.database.stage()
        let same = staged([Self.one])

        #expect(try await empty.database.prepare() == nil)
        #expect(try await same.database.prepare() == nil)
        try empty.database.publish()
        try same.database.publish()

        #expect(try DatabaseCopy.version(of: empty.path, owner: "Notes") == nil)
        #expect(try await same.texts() == ["a"])
    }

    @Test("A change that is not prepared migrates at the first use after its publication")
    func later() async throws {
        let next = staged([Self.one, Self.two])

        try next.database.publish()

        #expect(try version == 1)
        #expect(try await next.texts() == ["a"])
        #expect(try version == 2)
    }
}
