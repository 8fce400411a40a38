import AtriumKit
import Foundation
import Glibc
import Testing

@testable import AtriumStorage

@Suite("The write-ahead log after a large transaction", .timeLimit(.minutes(5)))
struct LogSizeTests {
    private let notes = TestDatabase()

    private var logSize: Int {
        var status = stat()
        return stat(notes.path + "-wal", &status) == 0 ? status.st_size : -1
    }

    /// Writes 20 MB, more than the cache holds, so that SQLite writes to the log before the commit.
    private static func writeMuch(on connection: any DatabaseConnection) throws {
        for number in 0..<20_000 {
            let text = "\(number)" + String(repeating: "x", count: 1_000)
            try connection.execute("INSERT INTO notes(text) VALUES (?)", [.text(text)])
        }
    }

    @Test("After a rollback the log is empty")
    func rolledBack() async throws {
        try await notes.insert("a")

        await #expect(throws: CancellationError.self) {
            try await notes.database.write { connection in
                try Self.writeMuch(on: connection)
                throw CancellationError()
            }
        }

        #expect(logSize == 0)
        #expect(try await notes.texts() == ["a"])
        try await notes.insert("b")
        #expect(try await notes.texts() == ["a", "b"])
    }

    @Test("After a commit the log is empty and the rows are in the database")
    func committed() async throws {
        try await notes.database.write { try Self.writeMuch(on: $0) }

        #expect(logSize == 0)
        #expect(try await notes.texts().count == 20_000)
    }

    @Test("After most rows are deleted the file is small again, and the others are there")
    func deleted() async throws {
        try await notes.insert("a")
        try await notes.database.write { try Self.writeMuch(on: $0) }
        try await notes.insert("b")

        _ = try await notes.database.write { try $0.execute("DELETE FROM notes WHERE length(text) > 1") }

        var status = stat()
        stat(notes.path, &status)
        #expect(status.st_size < 1 << 20)
        #expect(logSize == 0)
        #expect(try await notes.texts() == ["a", "b"])
        let checked = try await notes.database.read { connection in
            try connection.query("PRAGMA integrity_check", []) { try $0.value(0) as String }
        }
        #expect(checked == ["ok"])
    }

    @Test("After a full disk the log is empty and the changes are rolled back")
    func full() async throws {
        try await notes.insert("a")

        let error = await notes.error { connection in
            _ = try connection.query("PRAGMA max_page_count = 1000", []) { _ in }
            try Self.writeMuch(on: connection)
        }

        #expect(error?.code == .diskFull)
        #expect(logSize == 0)
        #expect(try await notes.texts() == ["a"])
    }

    @Test("The size limit of the log is 8 MiB")
    func sizeLimit() async throws {
        let limit: [Int] = try await notes.database.read { connection in
            try connection.query("PRAGMA journal_size_limit", []) { try $0.value(0) }
        }

        #expect(limit == [8 << 20])
    }

    @Test("An insert succeeds after the disk was full for both the log and the file")
    func fullFileSystem() async {
        await #expect(processExitsWith: .success) {
            let notes = TestDatabase()
            try await notes.insert("a")
            limitFileSize(4_000_000)

            let error = await notes.error { try Self.writeMuch(on: $0) }
            try await notes.insert("b")

            #expect(error?.code == .diskFull)
            #expect(try await notes.texts() == ["a", "b"])
        }
    }

    @Test("While another connection reads, the log is not truncated; a later transaction truncates it")
    func whileRead() async throws {
        let other = TestDatabase.another(notes.folder)
        let latch = Latch()
        try await notes.insert("a")
        async let read: [Int] = other.read { connection in
            let count: [Int] = try connection.query("SELECT count(*) FROM notes", []) { try $0.value(0) }
            latch.hold()
            return count
        }
        await latch.reached()

        try await notes.database.write { try Self.writeMuch(on: $0) }
        let sizeWhileRead = logSize
        latch.open()
        _ = try await read
        try await notes.insert("b")

        #expect(sizeWhileRead > 8 << 20)
        #expect(logSize == 0)
        #expect(try await notes.texts().count == 20_002)
    }
}
