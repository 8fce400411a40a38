import AtriumKit
import Foundation
import Glibc
import Testing

@testable import AtriumStorage

@Suite("The log behind a large transaction", .timeLimit(.minutes(5)))
struct LogSizeTests {
    private let notes = TestDatabase()

    private var logSize: Int {
        var status = stat()
        return stat(notes.path + "-wal", &status) == 0 ? status.st_size : -1
    }

    /// Writes 20 MB, more than the cache holds, so that it stands in the log before it is committed.
    private static func writeMuch(on connection: any DatabaseConnection) throws {
        for number in 0..<20_000 {
            let text = "\(number)" + String(repeating: "x", count: 1_000)
            try connection.execute("INSERT INTO notes(text) VALUES (?)", [.text(text)])
        }
    }

    @Test("One that was rolled back gives its space back")
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

    @Test("One that was committed gives its space back, and is in the file")
    func committed() async throws {
        try await notes.database.write { try Self.writeMuch(on: $0) }

        #expect(logSize == 0)
        #expect(try await notes.texts().count == 20_000)
    }

    @Test("After a full disk nothing of it stays, however little it is")
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

    @Test("The log is as long as what was committed, whatever stands behind it")
    func committedSize() async throws {
        let path = notes.path + "-wal"
        try await notes.insert("a")
        let size = logSize
        let other = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        defer { close(other) }
        let header = try #require(FileManager.default.contents(atPath: path))

        // A frame of the same log that is no commit, and one of another log that is.
        var frame = [UInt8](repeating: 0, count: 24 + 4096)
        frame.replaceSubrange(8..<16, with: header[16..<24])
        #expect(write(other, frame, frame.count) == frame.count)
        frame[7] = 1
        frame[8] ^= 1
        #expect(write(other, frame, frame.count) == frame.count)

        #expect(logSize > size)
        #expect(WriteAheadLog.committedSize(path) == size)
        #expect(WriteAheadLog.committedSize(notes.path + "-none") == nil)
        #expect(WriteAheadLog.committedSize(notes.path) == nil)
    }

    @Test("Where somebody else reads, nobody waits: the log is shortened after a later transaction")
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
