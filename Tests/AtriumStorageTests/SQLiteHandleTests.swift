import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumStorage

@Suite struct SQLiteHandleTests {
    @Test(
        "A path with a special meaning for SQLite names a file",
        arguments: [
            ("/a/b", "/a/b"), (":memory:", "./:memory:"), ("", "./"), ("a", "./a"),
        ])
    func filePath(path: String, expected: String) {
        #expect(DatabaseLocation(owner: "Notes", path: path).filePath == expected)
    }

    @Test(
        "A failed write counts as a full disk if the system says so or gives no reason",
        arguments: [
            (ENOSPC, ErrorCode.diskFull), (EDQUOT, .diskFull), (EFBIG, .diskFull), (EIO, .databaseUnwritable),
            (EPERM, .databaseUnwritable), (EROFS, .databaseUnwritable), (0, .diskFull),
        ])
    func failedWrite(number: Int32, code: ErrorCode) {
        let failedWrite = SQLiteFailure(
            resultCode: 778, words: "disk I/O error", systemError: SystemError(number: number))

        #expect(failedWrite.kind == code)
    }

    @Test("A failed write is reported with the system's reason")
    func failedWriteText() {
        let location = DatabaseLocation(owner: "Notes", path: "/a/b")
        let failed = { (resultCode: Int32) in
            SQLiteFailure(
                resultCode: resultCode, words: "disk I/O error", systemError: SystemError(number: EIO))
        }

        let error = DatabaseError.sqlite(failed(778), at: location)

        #expect(error.code == .databaseUnwritable)
        #expect(
            error.message
                == "The database of module 'Notes' at /a/b can't be written: disk I/O error (Input/output error)."
        )
        #expect(
            error.hint
                == "Check the disk, or start with another folder: --data DIR; existing data is unchanged."
        )
        #expect(failed(266).kind == .databaseFailure)
        #expect(SQLiteFailure(resultCode: 13, words: "database or disk is full").kind == .diskFull)
    }

    @Test("A short file whose log has the missing pages is whole")
    func missingPagesInLog() async throws {
        let (folder, copies) = (TemporaryFolder(), TemporaryFolder())
        let location = DatabaseLocation(owner: "Notes", path: folder.path("notes.sqlite"))
        let handle = try SQLiteHandle.open(location, busyTimeout: .zero, cancellation: CancellationFlag())
        defer { handle.close() }
        let failure = handle.run(
            "CREATE TABLE notes(text); INSERT INTO notes VALUES (zeroblob(20000)); PRAGMA wal_checkpoint")
        let copy = copies.path("notes.sqlite")
        for suffix in ["", "-wal"] {
            try AtomicFile.write(contents(location.path + suffix), to: copy + suffix)
        }
        truncate(copy, 6_000)

        let database = SQLiteDatabase(path: copy, owner: "Notes", migrations: [])
        let size = try await database.read { connection in
            try connection.first("SELECT length(text) FROM notes") { try $0.value(0, as: Int.self) }
        }

        #expect(failure == nil)
        #expect(size == 20_000)
    }

    @Test("A commit or rollback can't be cancelled")
    func commitIsFinal() throws {
        let folder = TemporaryFolder()
        let location = DatabaseLocation(owner: "Notes", path: folder.path("notes.sqlite"))
        let handle = try SQLiteHandle.open(location, busyTimeout: .zero, cancellation: CancellationFlag())
        defer { handle.close() }

        // SQLite checks the flag every 2000 instructions, counted over all runs of a statement.
        for round in 0..<2000 {
            let flag = CancellationFlag()
            handle.callbacks.cancellation = flag
            try handle.begin(.reading)
            flag.cancel()
            if round.isMultiple(of: 2) { try handle.commit() }
            #expect(handle.rollBack())
        }
    }

    @Test("Waiting for a lock ends at the timeout or when the job is cancelled")
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
