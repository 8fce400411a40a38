import AtriumKit
import TestSupport

@testable import PostgreSQL

/// A module of a test, in a schema that no other test has.
struct TestModule {
    let name = "Notes\(UInt64.random(in: 0 ... .max))"
    let engine: PostgreSQLEngine
    let url: String

    init(_ limits: Limits = Limits(), at url: String? = nil) throws {
        engine = PostgreSQLEngine(limits)
        self.url = try url ?? PostgreSQLServer.shared().url
    }

    static let migrations = [
        Migration(
            1, "create notes",
            postgresql:
                "CREATE TABLE notes (id bigint PRIMARY KEY, text text UNIQUE, size bigint CHECK (size >= 0))")
    ]

    /// Counts the notes on a pool of its own, after some migrations.
    static func count(of module: TestModule, _ migrations: [Migration]) async throws -> Int {
        try await PostgreSQLEngine().database(of: module.name, migrations: migrations, at: module.url).count()
    }

    func database(_ migrations: [Migration] = Self.migrations) throws -> any ManagedDatabase {
        try engine.database(of: name, migrations: migrations, at: url)
    }
}

extension Limits {
    /// One connection, on which a write runs once, as it does in a release build.
    static var alone: Limits {
        var limits = Limits()
        limits.connections = 1
        #if DEBUG
            limits.repeatsWrites = false
        #endif
        return limits
    }
}

extension Database {
    nonisolated(nonsending) func add(_ id: Int, _ text: String?, size: Int = 0) async throws {
        _ = try await write {
            try $0.execute(
                "INSERT INTO notes (id, text, size) VALUES (?, ?, ?)",
                [id.databaseValue, text.databaseValue, size.databaseValue])
        }
    }

    /// Reads the size of the first note and writes a larger one; `meanwhile` runs between the two.
    nonisolated(nonsending) func increase(
        by amount: Int, meanwhile: @escaping @Sendable () throws -> Void = {}
    ) async throws {
        try await write { connection in
            let size: Int =
                try connection.first("SELECT size FROM notes WHERE id = 1") { try $0.value(0) } ?? -1
            try meanwhile()
            try connection.execute(
                "UPDATE notes SET size = ? WHERE id = 1", [(size + amount).databaseValue])
        }
    }

    /// That of the first note.
    nonisolated(nonsending) func size() async throws -> Int? {
        try await read { try $0.first("SELECT size FROM notes WHERE id = 1") { try $0.value(0) } }
    }

    nonisolated(nonsending) func count() async throws -> Int {
        try await read { try $0.first("SELECT count(*) FROM notes") { try $0.value(0) } ?? 0 }
    }
}

/// Runs a closure that has to fail, and returns the error.
func failure(_ body: () async throws -> Void) async -> (any ExplainedError)? {
    do {
        try await body()
        return nil
    } catch {
        return error as? any ExplainedError
    }
}
