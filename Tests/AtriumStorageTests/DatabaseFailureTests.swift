import AtriumKit
import AtriumStorage
import Glibc
import TestSupport
import Testing

@Suite struct DatabaseFailureTests {
    @Test("While another connection writes, writing fails as locked; afterwards it works")
    func locked() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let other = TestDatabase.another(notes.folder, busyTimeout: .milliseconds(30))
        _ = try await other.read { _ in }
        let latch = Latch()
        let writing = Task {
            try await notes.database.write { connection in
                try connection.execute("INSERT INTO notes(text) VALUES ('b')")
                latch.hold()
            }
        }
        await latch.reached()

        let error = await #expect(throws: DatabaseError.self) {
            try await other.write { _ = try $0.execute("DELETE FROM notes") }
        }
        let seen = try await other.read {
            try $0.query("SELECT text FROM notes", []) { try $0.value(0, as: String.self) }
        }
        latch.open()
        try await writing.value
        try await other.write { _ = try $0.execute("INSERT INTO notes(text) VALUES ('c')") }

        #expect(error?.code == .databaseLocked)
        #expect(error?.message == "The database of module 'Notes' is locked by another process.")
        #expect(error?.hint == "Close the other process that uses \(notes.path), then try again.")
        #expect(seen == ["a"])
        #expect(try await notes.texts() == ["a", "b", "c"])
    }

    @Test("While this process writes, another process can read but not write")
    func lockedForAnotherProcess() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let latch = Latch()
        let writing = Task {
            try await notes.database.write { connection in
                try connection.execute("INSERT INTO notes(text) VALUES ('b')")
                latch.hold()
            }
        }
        await latch.reached()

        await #expect(processExitsWith: .success) { [path = notes.path as String] in
            let other = SQLiteDatabase(
                path: path, owner: "Notes", migrations: TestDatabase.migrations,
                busyTimeout: .milliseconds(30))
            let count = try await other.read { connection in
                try connection.first("SELECT count(*) FROM notes") { try $0.value(0, as: Int.self) }
            }
            let error = await #expect(throws: DatabaseError.self) {
                try await other.write { _ = try $0.execute("DELETE FROM notes") }
            }
            #expect(count == 1)
            #expect(error?.code == .databaseLocked)
        }
        latch.open()
        try await writing.value

        #expect(try await notes.texts() == ["a", "b"])
    }

    @Test("A writer waits for another one within the busy timeout")
    func waits() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let other = TestDatabase.another(notes.folder, busyTimeout: .seconds(60))
        let latch = Latch()
        let writing = Task { try await notes.database.write { _ in latch.hold() } }
        await latch.reached()

        let waiting = Task {
            try await other.write { _ = try $0.execute("INSERT INTO notes(text) VALUES ('b')") }
        }
        latch.open()
        try await writing.value
        try await waiting.value

        #expect(try await notes.texts() == ["a", "b"])
    }

    @Test("A table can't be changed while a query of the same connection reads it")
    func lockedByItself() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        let error = await notes.error { connection in
            _ = try connection.query("SELECT text FROM notes", []) { _ in
                try connection.execute("DROP TABLE notes")
            }
        }

        #expect(error?.code == .databaseLocked)
        #expect(
            error?.message
                == "The database of module 'Notes' is locked by its own running query: "
                + "database table is locked.")
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A file that is not a database is reported and left unchanged")
    func garbage() async throws {
        let notes = TestDatabase()
        let garbage = [UInt8](repeating: 0x5a, count: 5000)
        try AtomicFile.write(garbage, to: notes.path)

        let error = await notes.error(reading: true) { _ in }

        #expect(error?.code == .databaseCorrupt)
        #expect(
            error?.message
                == "The database of module 'Notes' at \(notes.path) is damaged: file is not a database.")
        #expect(
            error?.hint == "Restore the file from a copy, or move it away to start with an empty one.")
        #expect(try FileContents.read(notes.path) == garbage)
    }

    @Test(
        "A file that was emptied is reported and left unchanged, and is not a new database",
        arguments: [0, 1], [false, true])
    func emptied(size: Int, isLink: Bool) async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        await notes.database.close()
        truncate(notes.path, size)
        if isLink {
            rename(notes.path, notes.folder.path("moved.sqlite"))
            notes.folder.write([1], to: "moved.sqlite-wal")
            symlink("moved.sqlite", notes.path)
        }

        let error = await notes.error(reading: true) { _ in }

        #expect(error?.code == .databaseCorrupt)
        #expect(error?.message == "The database of module 'Notes' at \(notes.path) is damaged: it is empty.")
        #expect(contents(notes.path).count == size)
    }

    @Test(
        "A file without its last bytes is reported and left unchanged",
        arguments: [1, 4095, 4096, 6000])
    func shortened(by count: Int) async throws {
        let notes = TestDatabase()
        try await notes.insert("a", String(repeating: "b", count: 20_000))
        await notes.database.close()
        let good = contents(notes.path)
        truncate(notes.path, good.count - count)

        let error = await notes.error(reading: true) { _ in }

        #expect(error?.code == .databaseCorrupt)
        #expect(
            error?.message
                == "The database of module 'Notes' at \(notes.path) is damaged: "
                + "it has \(good.count - count) of \(good.count) bytes.")
        #expect(contents(notes.path) == Array(good.dropLast(count)))
        #expect(access(notes.path + "-wal", F_OK) != 0)
    }

    @Test("A link in place of the file is refused while the log is beside the link, and nothing is lost")
    func linked() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let moved = notes.folder.path("moved.sqlite")
        rename(notes.path, moved)
        symlink(moved, notes.path)
        let other = TestDatabase.another(notes.folder)

        let error = await #expect(throws: DatabaseError.self) { try await other.read { _ in } }
        unlink(notes.path)
        rename(moved, notes.path)
        await notes.database.close()

        #expect(error?.code == .databaseUnwritable)
        #expect(
            error?.message
                == "The database of module 'Notes' at \(notes.path) can't be opened: it is a link, "
                + "but its latest changes are in \(notes.path)-wal.")
        #expect(
            error?.hint == "Move the file back in place of the link, or the log beside the file.")
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A new file is never empty, and only its owner can read it")
    func created() async throws {
        let folder = TemporaryFolder()
        let database = TestDatabase.another(folder, migrations: [])

        try await database.read { _ in }
        await database.close()

        var status = stat()
        stat(folder.path("notes.sqlite"), &status)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(contents(folder.path("notes.sqlite")).count == 4096)
        let checked = try await database.read { connection in
            try connection.query("PRAGMA integrity_check", []) { try $0.value(0) as String }
        }
        #expect(checked == ["ok"])
    }

    @Test("A damaged page is reported, and a file restored in its place is used")
    func damaged() async throws {
        let notes = TestDatabase()
        try await notes.insert("a", String(repeating: "b", count: 20_000))
        await notes.database.close()
        let good = try FileContents.read(notes.path)
        try AtomicFile.write(
            good.prefix(4096) + [UInt8](repeating: 0xff, count: good.count - 4096), to: notes.path)

        let error = await notes.error(reading: true) { connection in
            _ = try connection.query("SELECT text FROM notes", []) { _ in }
        }
        for suffix in ["", "-wal", "-shm"] { unlink(notes.path + suffix) }
        try AtomicFile.write(good, to: notes.path)

        #expect(error?.code == .databaseCorrupt)
        #expect(
            error?.message
                == "The database of module 'Notes' at \(notes.path) is damaged: database disk image is malformed."
        )
        #expect(try await notes.texts().count == 2)
    }

    @Test("A path that can't be opened is reported with the system's reason")
    func unwritable() async throws {
        let folder = TemporaryFolder()
        try AtomicFile.write([], to: folder.path("file"))
        mkdir(folder.path("folder"), 0o700)
        let below = SQLiteDatabase(path: folder.path("file/notes"), owner: "Notes", migrations: [])
        let directory = SQLiteDatabase(path: folder.path("folder"), owner: "Notes", migrations: [])

        let belowError = await #expect(throws: DatabaseError.self) { try await below.read { _ in } }
        let directoryError = await #expect(throws: DatabaseError.self) { try await directory.read { _ in } }

        #expect(belowError?.code == .databaseUnwritable)
        #expect(
            belowError?.message
                == "The database of module 'Notes' at \(folder.path("file/notes")) can't be opened for writing: "
                + "Not a directory.")
        #expect(
            belowError?.hint
                == "Check the permissions of the file and its folder, or start with another folder: --data DIR."
        )
        #expect(directoryError?.code == .databaseUnwritable)
        #expect(
            directoryError?.message
                == "The database of module 'Notes' at \(folder.path("folder")) can't be opened for writing: "
                + "unable to open database file (Is a directory).")
    }

    @Test("A failed opening is retried at the next use")
    func opensAgain() async throws {
        let folder = TemporaryFolder()
        try AtomicFile.write([], to: folder.path("state"))
        let database = SQLiteDatabase(path: folder.path("state/notes"), owner: "Notes", migrations: [])
        await #expect(throws: DatabaseError.self) { try await database.read { _ in } }

        unlink(folder.path("state"))

        try await database.read { _ in }
    }

    @Test("A full database refuses changes and keeps its data")
    func full() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        let error = await notes.error { connection in
            _ = try connection.query("PRAGMA max_page_count = 10", []) { _ in }
            try connection.execute(
                "INSERT INTO notes(text) VALUES (?)", [.text(String(repeating: "b", count: 100_000))])
        }
        try await notes.insert("c")

        #expect(error?.code == .diskFull)
        #expect(
            error?.message
                == "No space is left for the database of module 'Notes' at \(notes.path): "
                + "database or disk is full.")
        #expect(error?.hint == "Free some space, then try again; existing data is unchanged.")
        #expect(try await notes.texts() == ["a", "c"])
    }

    @Test("A limit on file sizes counts as a full disk")
    func sizeLimit() async {
        await #expect(processExitsWith: .success) {
            let notes = TestDatabase()
            try await notes.insert("a")
            limitFileSize(200_000)

            let error = await notes.error { connection in
                try connection.execute(
                    "INSERT INTO notes(text) VALUES (?)", [.text(String(repeating: "b", count: 1_000_000))])
            }

            #expect(error?.code == .diskFull)
            #expect(
                error?.message
                    == "No space is left for the database of module 'Notes' at \(notes.path): "
                    + "disk I/O error (File too large).")
            #expect(try await notes.texts() == ["a"])
        }
    }

    @Test(
        "A write to a removed or replaced file fails; the next write uses or creates the file at the path",
        arguments: ["file", "file alone", "folder", "replaced", "link"])
    func missing(what: String) async throws {
        let outer = TemporaryFolder()
        let path = outer.path("data/notes.sqlite")
        let database = SQLiteDatabase(path: path, owner: "Notes", migrations: TestDatabase.migrations)
        let insert = { @Sendable (text: String) in
            try await database.write { connection in
                _ = try connection.execute("INSERT INTO notes(text) VALUES (?)", [.text(text)])
            }
        }
        let texts = { @Sendable () in
            try await database.read { connection in
                try connection.query("SELECT text FROM notes", []) { try $0.value(0, as: String.self) }
            }
        }
        try await insert("a")
        switch what {
        case "file": for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        case "file alone": unlink(path)
        case "folder": rename(outer.path("data"), outer.path("old"))
        case "link":
            rename(path, outer.path("old"))
            symlink(outer.path("old"), path)
        default:
            rename(path, outer.path("old"))
            let other = SQLiteDatabase(path: path, owner: "Notes", migrations: TestDatabase.migrations)
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try await other.write { _ = try $0.execute("INSERT INTO notes(text) VALUES ('other')") }
        }

        let error = await #expect(throws: DatabaseError.self) { try await insert("b") }
        try await insert("c")

        #expect(error?.code == .databaseMissing)
        #expect(
            error?.message
                == "The database of module 'Notes' is gone: \(path) was removed or replaced while it was open."
        )
        #expect(
            error?.hint
                == "Start the host again; earlier changes are in the removed file.")
        let expected = ["replaced": ["other", "c"], "link": ["a", "c"]]
        #expect(try await texts() == expected[what, default: ["c"]])
        #expect(mode(path) == 0o600)
    }

    @Test(
        "If a failure ended the transaction, the closure's changes are rolled back even if it caught the error"
    )
    func swallowedFailure() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")
        let sql = "INSERT OR ROLLBACK INTO notes(text) VALUES ('a')"

        let atCommit = await notes.error { connection in
            try connection.execute("INSERT INTO notes(text) VALUES ('b')")
            _ = try? connection.execute(sql)
        }
        let atNext = await notes.error { connection in
            _ = try? connection.execute(sql)
            try connection.execute("INSERT INTO notes(text) VALUES ('b')")
        }

        let message = "The transaction of module 'Notes' was rolled back by an earlier failure."
        #expect(atCommit?.message == message)
        #expect(atNext?.message == message)
        #expect((atNext?.cause as? DatabaseError)?.code == .uniqueViolation)
        #expect(try await notes.texts() == ["a"])
    }

    @Test("A violated constraint is reported with SQLite's reason and code")
    func constraint() async throws {
        let notes = TestDatabase()
        try await notes.insert("a")

        let error = await notes.error { _ = try $0.execute("INSERT INTO notes(text) VALUES ('a')") }

        #expect(error?.code == .uniqueViolation)
        #expect(
            error?.message
                == "The database of module 'Notes' refuses the change: UNIQUE constraint failed: notes.text.")
        #expect(
            (error?.cause as? any ExplainedError)?.message
                == "SQLite error 2067: UNIQUE constraint failed: notes.text.")
    }
}
