import AtriumKit
import AtriumStorage
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CancellationTests {
    /// Returns one row, then counts forever.
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i = 1
        """

    @Test("A running query is interrupted")
    func runningQuery() async throws {
        let notes = TestDatabase()
        let latch = Latch()
        let task = Task {
            try await notes.database.read { try $0.query(Self.endless, []) { _ in latch.reach() } }
        }
        await latch.reached()

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await notes.texts() == [])
    }

    @Test("A running write is interrupted and rolled back")
    func runningWrite() async throws {
        let notes = TestDatabase()
        let latch = Latch()
        let task = Task {
            try await notes.database.write { connection in
                try connection.execute("INSERT INTO notes(text) VALUES ('lost')")
                _ = try connection.query(Self.endless, []) { _ in latch.reach() }
            }
        }
        await latch.reached()

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await notes.texts() == [])
    }

    @Test("A write that catches its interruption is not committed")
    func swallowed() async throws {
        let notes = TestDatabase()
        let latch = Latch()
        let task = Task {
            try await notes.database.write { connection in
                try connection.execute("INSERT INTO notes(text) VALUES ('lost')")
                _ = try? connection.query(Self.endless, []) { _ in latch.reach() }
                _ = try? connection.execute("INSERT INTO notes(text) VALUES ('lost too')")
            }
        }
        await latch.reached()

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await notes.texts() == [])
    }

    @Test("A cancelled job that waits in the queue ends at once and never runs")
    func waitingJob() async throws {
        let notes = TestDatabase()
        let latch = Latch()
        let hasRun = Mutex(false)
        let holder = Task { try await notes.database.write { _ in latch.hold() } }
        await latch.reached()

        let waiting = Task { try await notes.database.read { _ in hasRun.withLock { $0 = true } } }
        for _ in 0..<1000 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        latch.open()
        try await holder.value
        _ = try await notes.texts()

        #expect(hasRun.withLock { !$0 })
    }

    @Test("An already cancelled task changes nothing")
    func alreadyCancelled() async throws {
        let notes = TestDatabase()

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await notes.insert("lost")
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(notes.folder.names() == [])
    }

    @Test("Waiting for another process's lock can be cancelled")
    func waitingForLock() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let other = TestDatabase.another(notes.folder, busyTimeout: .seconds(3600))
        _ = try await other.read { _ in }
        let latch = Latch()
        let holder = Task { try await notes.database.write { _ in latch.hold() } }
        await latch.reached()
        let task = Task { try await other.write { _ = try $0.execute("DELETE FROM notes") } }
        // Reaches the busy handler on most runs; the outcome is the same if it doesn't.
        for _ in 0..<1000 { await Task.yield() }

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        latch.open()
        try await holder.value
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A cancelled migration runs again at the next use")
    func migration() async throws {
        let folder = TemporaryFolder()
        let sql =
            "CREATE TABLE big AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT i FROM n"
        let database = SQLiteDatabase(
            path: folder.path("notes.sqlite"), owner: "Notes", migrations: [Migration(1, "fill", sql: sql)])
        let task = Task { try await database.read { _ in } }
        await eventually("the database is opened") { !folder.names().isEmpty }

        task.cancel()
        _ = await task.result

        let count = try await database.read {
            try $0.first("SELECT count(*) FROM big") { try $0.value(0, as: Int.self) }
        }
        #expect(count == 300000)
    }

    @Test("A cancellation does not affect the next job")
    func nextJob() async throws {
        let notes = TestDatabase()
        let sql =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT count(*) FROM n"
        let count: @Sendable (any DatabaseConnection) throws -> Int? = { connection in
            try connection.first(sql) { try $0.value(0) }
        }

        for _ in 0..<500 {
            let victim = Task { try await notes.database.read(count) }
            let next = Task { try await notes.database.read(count) }
            let canceller = Task.detached { victim.cancel() }

            #expect(try await next.value == 5000)
            await canceller.value
            switch await victim.result {
            case .success(let value): #expect(value == 5000)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
    }

    @Test("A write is either committed or reported as cancelled, never both or neither")
    func allOrNothing() async throws {
        let notes = TestDatabase()

        for number in 0..<200 {
            let task = Task { try await notes.insert("\(number)") }
            let canceller = Task.detached { task.cancel() }
            let result = await task.result
            await canceller.value

            let isThere = try await notes.texts().contains("\(number)")
            #expect(isThere == ((try? result.get()) != nil))
        }
    }
}
