import AtriumKit
import AtriumStorage
import Dispatch
import TestSupport
import Testing

/// A database of notes, in a folder of its own.
struct TestDatabase {
    let folder: TemporaryFolder
    let database: SQLiteDatabase

    static let migrations = [
        Migration(1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT UNIQUE);")
    ]

    /// The path of the file, for messages.
    var path: String { folder.path("notes.sqlite") }

    init(_ folder: TemporaryFolder = TemporaryFolder(), migrations: [Migration] = Self.migrations) {
        self.folder = folder
        database = Self.another(folder, migrations: migrations)
    }

    /// A second database on the same file, as another process would open it.
    static func another(
        _ folder: TemporaryFolder, migrations: [Migration] = Self.migrations,
        busyTimeout: Duration = .seconds(5)
    ) -> SQLiteDatabase {
        SQLiteDatabase(
            path: folder.path("notes.sqlite"), owner: "Notes", migrations: migrations,
            busyTimeout: busyTimeout)
    }

    func insert(_ texts: String...) async throws {
        try await database.write { connection in
            for text in texts { try connection.execute("INSERT INTO notes(text) VALUES (?)", [.text(text)]) }
        }
    }

    func texts() async throws -> [String] {
        try await database.read { connection in
            try connection.query("SELECT text FROM notes ORDER BY id", []) { try $0.value("text") }
        }
    }

    /// The error that `read` or `write` throws for a closure.
    func error(
        reading: Bool = false, _ body: @escaping @Sendable (any DatabaseConnection) throws -> Void
    ) async -> DatabaseError? {
        await #expect(throws: DatabaseError.self) {
            if reading { try await database.read(body) } else { try await database.write(body) }
        }
    }
}

/// Synchronizes a test with a closure inside `read` or `write`, which holds the queue until it ends.
struct Latch: Sendable {
    private let isReached = AsyncStream<Void>.makeStream()
    private let mayEnd = DispatchSemaphore(value: 0)

    /// Called by the closure: signals that it runs.
    func reach() {
        isReached.continuation.yield()
    }

    /// Called by the closure: signals that it runs, and blocks until ``open()``.
    func hold() {
        reach()
        mayEnd.wait()
    }

    /// Waits until the closure runs.
    func reached() async {
        for await _ in isReached.stream { return }
    }

    /// Unblocks the closure.
    func open() {
        mayEnd.signal()
    }
}
