import Glibc
import TestSupport
import Testing

@testable import AtriumKit
@testable import Entities

@Suite("Entity files")
struct EntityFileTests {
    private let folder = TemporaryFolder()

    @Test(
        "The file extension determines the format unless one is given",
        arguments: [
            ("a.csv", nil, .csv), ("A.CSV", nil, .csv), ("a.jsonl", nil, .jsonLines),
            ("a.ndjson", nil, .jsonLines), ("a.txt", .csv, .csv), ("a.csv", .jsonLines, .jsonLines),
        ] as [(String, RecordFileFormat?, RecordFileFormat)])
    func format(_ path: String, _ given: RecordFileFormat?, _ expected: RecordFileFormat) throws {
        #expect(try EntityFile(path, format: given) == EntityFile(path: path, format: expected))
    }

    @Test("Unknown extensions and invalid paths are refused")
    func unknownFormat() {
        let noPath = "A file needs a name, without NUL in it."
        let unknown = "The format of 'a.txt' is not known: its name ends neither in .csv nor in .jsonl."
        for (path, format, message) in [
            ("a.txt", nil, unknown),
            ("", .csv, noPath), ("a\0.csv", nil, noPath),
        ] as [(String, RecordFileFormat?, String)] {
            let error = #expect(throws: ServiceError.self) { try EntityFile(path, format: format) }
            #expect(error?.code == "unknownFormat" && error?.message == message)
        }
    }

    // MARK: - Writing

    @Test("For a spreadsheet, texts like formulas are marked in CSV, and any text returns as it was")
    func formulas() throws {
        let names = ["=1+2", "-x", "+y", "@z", "'=1", "''-", "'it", "a=b", "1-2", "é"]
        var file = EntityFile(path: folder.path("a.csv"), format: .csv)
        file.marksFormulas = true
        let writer = try RecordFileWriter(file)
        _ = try writer.write(names.map { Entity(name: $0, notes: "=n") })
        _ = try writer.finish()

        var (plain, marked, read) = (file, [Entity](), [Entity]())
        plain.marksFormulas = false
        try plain.forEach(progress: { _ in }) { marked.append($0) }
        try file.forEach(progress: { _ in }) { read.append($0) }

        #expect(marked.map(\.name) == names.enumerated().map { ($0 < 6 ? "'" : "") + $1 })
        #expect(read.map(\.name) == names)
        #expect(Set(read.map(\.notes)) == ["=n"])
    }

    @Test("A written file appears only once it is complete")
    func whole() throws {
        let path = folder.path("a.csv")

        let writer = try RecordFileWriter(EntityFile(path))
        _ = try writer.write((0..<5_000).map { EntityDraft(name: "Name \($0)", notes: "a,b") })
        #expect(folder.names() == [])
        #expect(try writer.finish() == 5_000)

        let lines = contents(path).split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == 5_001)
        #expect(lines.last.map(Array.init) == Array("Name 4999,,\"a,b\"\r".utf8))
        #expect(folder.names() == ["a.csv"])
    }

    @Test("Pipes and sockets are refused without blocking")
    func special() throws {
        mkfifo(folder.path("pipe.csv"), 0o600)
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        bind(descriptor, to: folder.path("socket.csv"))

        for name in ["pipe.csv", "socket.csv"] {
            let file = try EntityFile(folder.path(name))
            let unread = #expect(throws: FileError.self) { try file.read { _, _ in true } }
            #expect(unread?.message == "The file '\(file.path)' can't be read: it is not a regular file.")
            let unwritten = #expect(throws: FileError.self) { try RecordFileWriter(file).finish() }
            #expect(
                unwritten?.message == "The file '\(file.path)' can't be written: it is not a regular file.")
        }
    }

    @Test("A full disk leaves the existing file unchanged and no temporary file")
    func full() async {
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.write("before".utf8, to: "a.csv")
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            setrlimit(CInt(RLIMIT_FSIZE.rawValue), &limit)

            let error = #expect(throws: FileError.self) {
                let writer = try RecordFileWriter(replacing(path))
                _ = try writer.write((0..<20_000).map { EntityDraft(name: "Name \($0)") })
                _ = try writer.finish()
            }

            #expect(error?.code == .diskFull)
            #expect(error?.message == "The file '\(path)' can't be written: File too large.")
            #expect(error?.hint == "Free some space, then try again.")
            #expect(contents(path) == Array("before".utf8))
            #expect(folder.names() == ["a.csv"])
        }
    }

    private func bind(_ descriptor: CInt, to path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in room.copyBytes(from: path.utf8) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
