import AtriumKit
import TestSupport
import Testing

@testable import PostgreSQL

@Suite("Migrations in PostgreSQL", .timeLimit(.minutes(3)))
struct MigrationTests {
    private static let second = Migration(
        2, "add a colour", postgresql: "ALTER TABLE notes ADD COLUMN colour text NOT NULL DEFAULT 'blue'")

    @Test("Hosts that start together migrate once")
    func together() async throws {
        let module = try TestModule()

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let database = try PostgreSQLEngine().database(
                        of: module.name, migrations: TestModule.migrations + [Self.second], at: module.url)
                    try await database.add(number, "note \(number)")
                }
            }
            try await group.waitForAll()
        }

        let database = try module.database(TestModule.migrations + [Self.second])
        #expect(try await database.count() == 6)
    }

    @Test("Modules that make the same extension at once all get it")
    func extensions() async throws {
        let migration = Migration(
            1, "use cubes",
            postgresql: "CREATE EXTENSION IF NOT EXISTS cube SCHEMA public; SELECT pg_sleep(0.05)")
        let url = try PostgreSQLServer.shared().url
        for _ in 0..<3 {
            let administrator = try TestModule().database()
            _ = try await administrator.write { try $0.execute("DROP EXTENSION IF EXISTS cube", []) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    let database = try TestModule(at: url).database([migration])
                    group.addTask { try await database.read { _ = try $0.execute("SELECT 1", []) } }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("One that fails in the middle leaves the version before, with its data")
    func failing() async throws {
        let module = try TestModule()
        try await module.database().add(1, "a")
        let broken = Migration(
            3, "break", postgresql: "CREATE TABLE more (id int); INSERT INTO more VALUES ('no number')")

        let error = await failure {
            _ = try await module.database(TestModule.migrations + [Self.second, broken]).count()
        }

        #expect(error?.message.contains("Migration 3 'break'") == true)
        #expect(error?.hint == "The data stay at version 1.")
        #expect(try await module.database().count() == 1)
    }

    @Test("Statements with U+0000, at which they would be cut, are refused, in migrations too")
    func zero() async throws {
        let module = try TestModule()
        let cut = Migration(
            1, "cut", postgresql: "CREATE TABLE notes (id bigint)\0; CREATE TABLE more (id bigint)")

        let refused = await failure { _ = try await module.database([cut]).count() }
        let database = try module.database()
        let statement = await failure {
            _ = try await database.write { try $0.execute("DELETE FROM notes\0 WHERE id = 1", []) }
        }
        let copy = await failure {
            _ = try await database.write { try $0.insert(into: "notes\0", ["id"]) { try $0([.integer(1)]) } }
        }

        #expect(
            refused?.message
                == "Migration 1 'cut' of module '\(module.name)' failed: it has U+0000, which ends a statement."
        )
        #expect(statement?.message.contains("it has U+0000") == true)
        #expect(copy?.message.contains("it has U+0000") == true)
        #expect(try await database.count() == 0)
    }

    @Test("One that ends the transaction is refused")
    func committing() async throws {
        let module = try TestModule()
        let error = await failure {
            _ = try await module.database([Migration(1, "commit", postgresql: "SELECT 1; COMMIT")]).count()
        }

        #expect(error?.message.contains("begins or ends a transaction") == true)
    }

    @Test("A changed one, a newer schema, and one without statements are refused")
    func refused() async throws {
        let module = try TestModule()
        try await module.database(TestModule.migrations + [Self.second]).add(1, "a")
        let other = Migration(1, "create notes", postgresql: "CREATE TABLE notes (id bigint)")

        let changed = await failure { _ = try await module.database([other, Self.second]).count() }
        let newer = await failure { _ = try await module.database().count() }
        let untranslated = await failure {
            _ = try module.database([Migration(1, "create", sqlite: "SELECT 1")])
        }

        #expect(changed?.code == "badMigrations")
        #expect(newer?.code == .databaseNewer)
        #expect(untranslated?.code == .databaseUnsupported)
        #expect(untranslated?.message.contains("has no statements for it") == true)
    }

    @Test("An older build works on tables whose later migrations are marked as backward compatible")
    func compatible() async throws {
        let module = try TestModule()
        let second = Self.second.backwardCompatible()
        try await module.database(TestModule.migrations + [second]).add(1, "a")

        try await module.database().add(2, "b")
        let third = Migration(3, "add a size", postgresql: "ALTER TABLE notes ADD COLUMN height bigint")
        try await module.database(TestModule.migrations + [second, third]).add(3, "c")

        let error = await failure { _ = try await module.database().count() }
        #expect(error?.code == .databaseNewer)
        #expect(try await module.database(TestModule.migrations + [second, third]).count() == 3)
    }

    @Test("Those of a change are seen by others once it is published")
    func published() async throws {
        let module = try TestModule()
        try await module.database().add(1, "a")
        let next = try module.database(TestModule.migrations + [Self.second])
        next.stage()

        #expect(try await next.prepare() == 1)
        _ = try await next.write { try $0.execute("UPDATE notes SET colour = 'red'", []) }
        #expect(next.isStaged)
        try next.publish()

        #expect(!next.isStaged)
        let colour: String? = try await next.read {
            try $0.first("SELECT colour FROM notes") { try $0.value(0) }
        }
        #expect(colour == "red")
    }

    @Test("Two first uses of a change share its transaction, also where there is one connection alone")
    func firstUses() async throws {
        var limits = Limits()
        limits.connections = 1
        let module = try TestModule(limits)
        let present = try module.database()
        try await present.add(1, "a")
        let next = try module.database(TestModule.migrations + [Self.second])
        next.stage()

        try await present.read { _ = try $0.execute("SELECT 1", []) }
        async let first = next.count()
        async let second = next.count()
        #expect(try await [first, second] == [1, 1])
        let written = await failure {
            _ = try await next.read { try $0.execute("DELETE FROM notes", []) }
        }
        #expect(written?.hint?.contains("write instead of read") == true)
        try await next.add(2, "b")
        try next.publish()

        #expect(try await next.count() == 2)
    }

    @Test("Another host's migration makes a prepared statement stale, and the transaction runs again")
    func stale() async throws {
        let module = try TestModule()
        let present = try module.database()
        try await present.add(1, "a")
        let all: @Sendable (any DatabaseConnection) throws -> Int = {
            try $0.query("SELECT * FROM notes", []) { _ in 1 }.count
        }
        #expect(try await present.read(all) == 1)

        try await module.database(TestModule.migrations + [Self.second]).add(2, "b")

        #expect(try await present.read(all) == 2)
    }

    @Test("Its statements may take as long as the limit each")
    func long() async throws {
        var limits = Limits()
        (limits.statement, limits.connect) = (0.8, 0.1)
        let waits = Array(repeating: "SELECT pg_sleep(0.5)", count: 3).joined(separator: "; ")
        let module = try TestModule(limits)

        let database = try module.database(TestModule.migrations + [Migration(2, "wait", postgresql: waits)])

        #expect(try await database.count() == 0)
    }

    @Test("Another type of a column makes a prepared statement stale, also for its arguments")
    func otherType() async throws {
        let module = try TestModule(.alone)
        let present = try module.database()
        try await present.add(1, "7")

        let numbers = Migration(
            2, "number the texts",
            postgresql: "ALTER TABLE notes ALTER COLUMN text TYPE bigint USING text::bigint")
        _ = try await TestModule.count(of: module, TestModule.migrations + [numbers.backwardCompatible()])
        try await present.add(2, "8")

        #expect(try await present.count() == 2)
    }

    @Test("Those of a change that is discarded leave nothing, and its database can't be used")
    func discarded() async throws {
        let module = try TestModule()
        let present = try module.database()
        try await present.add(1, "a")
        let next = try module.database(TestModule.migrations + [Self.second])
        next.stage()
        #expect(try await next.prepare() == 1)
        try await next.add(2, "b")

        next.discard()

        let error = await failure { _ = try await next.count() }
        #expect(error?.message.contains("was refused") == true)
        #expect(try await present.count() == 1)
    }
}
