import AtriumKit
import Testing

@testable import AtriumStorage

@Suite struct SQLiteHandleTests {
    @Test(
        "A path that SQLite would take for something else is a file",
        arguments: [
            ("/a/b", "/a/b"), (":memory:", "./:memory:"), ("", "./"), ("a", "./a"),
        ])
    func filePath(path: String, expected: String) {
        #expect(DatabaseLocation(owner: "Notes", path: path).filePath == expected)
    }

    @Test("A commit that has begun, or a rollback, can't be cancelled any more")
    func commitIsFinal() throws {
        let folder = TemporaryFolder()
        let location = DatabaseLocation(owner: "Notes", path: folder.path("notes.sqlite"))
        let handle = try SQLiteHandle.open(location, busyTimeout: .zero, cancellation: CancellationFlag())
        defer { handle.close() }

        // SQLite looks at the flag every 2000 instructions, counted over all runs of a statement.
        for round in 0..<2000 {
            let flag = CancellationFlag()
            handle.callbacks.cancellation = flag
            try handle.begin(.reading)
            flag.cancel()
            if round.isMultiple(of: 2) { try handle.commit() }
            #expect(handle.rollBack())
        }
    }

    @Test("Waiting for a lock ends with the timeout or the job")
    func waitsForLock() {
        let patient = ConnectionCallbacks(busyTimeout: .seconds(3600))
        let impatient = ConnectionCallbacks(busyTimeout: .zero)
        let flag = CancellationFlag()
        patient.cancellation = flag

        let first = patient.waitForLock(attempt: 0)
        flag.cancel()

        #expect(first)
        #expect(!patient.waitForLock(attempt: 1))
        #expect(!impatient.waitForLock(attempt: 0))
    }
}
