import AtriumKit
import Foundation
import TestSupport
import Testing

@testable import AtriumBackup
@testable import AtriumStorage

@Suite("Backup and restore of a data folder") struct BackupTests {
    private let folder = TemporaryFolder()
    private let data: DataFolder
    private var file: String { folder.path("backup.atrium") }
    private var target: String { folder.path("restored") }
    private static let migrations = [
        Migration(1, "create notes", sql: "CREATE TABLE notes(text TEXT)")
    ]

    init() async throws {
        data = try DataFolder(explicit: folder.path("data"))
        try data.prepare()
        try write("{}", to: "installed.json")
        try write(String(repeating: "a line\n", count: 400_000), to: "atrium.log")
        try FileManager.default.createDirectory(
            atPath: data.path("files/Notes"), withIntermediateDirectories: true)
        try write("", to: "files/Notes/empty")
        _ = try await database(data.path).write { try $0.execute("INSERT INTO notes VALUES ('a')") }
    }

    private func database(_ folder: String) -> SQLiteDatabase {
        SQLiteDatabase(path: folder + "/Notes.sqlite", owner: "Notes", migrations: Self.migrations)
    }

    private func texts(in folder: String) async throws -> [String] {
        try await database(folder).read { try $0.query("SELECT text FROM notes", []) { try $0.value(0) } }
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: data.path(name), atomically: false, encoding: .utf8)
    }

    @discardableResult
    private func backUp() throws -> Backup.Report {
        try Backup.write(data, to: file, version: "1.2.0", now: Timestamp(microseconds: 0))
    }

    private func restore(version: String = "1.2.0") throws -> Backup.RestoreReport {
        try Backup.restore(file, to: try DataFolder(explicit: target), version: version)
    }

    private func error(_ body: () throws -> Void) -> String? {
        (#expect(throws: BackupError.self) { try body() })?.message
    }

    @Test("A backup made while a database is open has what was committed, and is restored as it was")
    func roundTrip() async throws {
        let open = database(data.path)
        _ = try await open.write { try $0.execute("INSERT INTO notes VALUES ('only in the log')") }

        let report = try backUp()
        _ = try await open.write { try $0.execute("INSERT INTO notes VALUES ('later')") }
        let restored = try restore()

        #expect(report.files == 5)
        #expect(report.databases == 1)
        #expect(report.warnings == nil)
        #expect(restored.files == 5)
        #expect(restored.former == nil)
        #expect(restored.created == "1970-01-01T00:00:00Z")
        #expect(try await texts(in: target) == ["a", "only in the log"])
        for name in ["installed.json", "atrium.log", "files/Notes/empty", "atrium-data"] {
            #expect(try FileContents.read(target + "/" + name) == FileContents.read(data.path(name)))
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "backup.atrium", "data", "restored",
            ])
    }

    @Test("A folder that is there is kept beside the restored one")
    func replaces() async throws {
        try backUp()
        _ = try restore()
        _ = try await database(target).write { try $0.execute("INSERT INTO notes VALUES ('b')") }

        let again = try restore()
        let third = try restore()

        let path = try #require(realpath(target, nil))
        defer { free(path) }
        let place = String(cString: path)
        #expect(again.former == place + ".before-restore-1")
        #expect(third.former == place + ".before-restore-2")
        #expect(try await texts(in: target) == ["a"])
        #expect(try await texts(in: target + ".before-restore-1") == ["a", "b"])
    }

    @Test("A backup that is not one, is newer, or was changed is refused, and nothing is written")
    func refuses() throws {
        try backUp()
        let whole = try Data(contentsOf: URL(filePath: file))
        let check = { (damage: (inout Data) -> Void, words: String) in
            var bytes = whole
            damage(&bytes)
            try bytes.write(to: URL(filePath: file))
            let message = error { _ = try restore() }
            #expect(message?.contains(words) == true, "\(message ?? "")")
        }

        try check({ $0 = Data("hello".utf8) }, "is not a backup that Atrium made.")
        try check({ $0 = $0.prefix(20_000) }, "is damaged")
        try check({ $0.replaceSubrange(60..<64, with: [0, 0, 0, 2]) }, "newer version of Atrium: format 2")
        try check(
            { bytes in
                guard let line = bytes.range(of: Data("a line\na line".utf8)) else { return }
                bytes[line.lowerBound] ^= 1
            }, "'atrium.log' has another digest")
        try whole.write(to: URL(filePath: file))
        let older = error { _ = try restore(version: "1.1.9") }

        #expect(
            older
                == "The backup '\(file)' is from a newer version of Atrium: Atrium 1.2.0; this one is 1.1.9.")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "backup.atrium", "data",
            ])
    }

    @Test("A list that lost a file, or names one outside of the folder, is refused")
    func list() throws {
        try backUp()
        try alter("DELETE FROM files WHERE name = 'installed.json'")
        #expect(error { _ = try restore() }?.contains("its list of files was changed") == true)

        let entry = FileArchive.Entry(name: "../x", mode: 0o600, size: 0, digest: "")
        try alter("DELETE FROM files")
        try alter("INSERT INTO files VALUES ('../x', 384, 0, '')")
        try alter("UPDATE about SET value = '\(Backup.digest(of: [entry]))' WHERE key = 'digest'")
        #expect(error { _ = try restore() }?.contains("it names a file outside of the folder") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    private func alter(_ sql: String) throws {
        try PlainConnection(file, owner: "test", 2).run(sql)
    }

    @Test("A folder in use, or one that is no data folder, is not replaced")
    func places() throws {
        try backUp()
        let lock = open(data.path("host.lock"), O_RDWR | O_CREAT, 0o600)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX) == 0)
        try FileManager.default.createDirectory(
            atPath: folder.path("home"), withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: folder.path("home/letter")))

        let used = error { _ = try Backup.restore(file, to: data, version: "1.2.0") }
        let foreign = error {
            _ = try Backup.restore(file, to: try DataFolder(explicit: folder.path("home")), version: "1.2.0")
        }

        #expect(used?.hasSuffix("is in use by a running host.") == true)
        #expect(foreign?.hasSuffix("is not a data folder of Atrium, so it is not replaced.") == true)
        #expect(FileManager.default.fileExists(atPath: data.path("installed.json")))
    }

    @Test("What can't be backed up is named")
    func leftOut() throws {
        #expect(symlink("/etc/passwd", data.path("link")) == 0)

        let report = try backUp()
        let again = error { try backUp() }
        let inside = error {
            _ = try Backup.write(data, to: data.path("b"), version: "1.2.0", now: Timestamp(microseconds: 0))
        }
        #expect(symlink(data.path, folder.path("alias")) == 0)
        let insideByLink = error {
            _ = try Backup.write(
                data, to: folder.path("alias/b"), version: "1.2.0", now: Timestamp(microseconds: 0))
        }
        let missing = error {
            _ = try Backup.write(
                try DataFolder(explicit: "/nowhere/at/all"), to: folder.path("c"), version: "1.2.0",
                now: Timestamp(microseconds: 0))
        }

        #expect(report.warnings == ["'\(data.path("link"))' is left out: it is not a regular file."])
        #expect(again == "'\(file)' exists already.")
        #expect(inside?.contains("would lie in the data folder") == true)
        #expect(insideByLink?.contains("would lie in the data folder") == true)
        #expect(missing == "There is no data folder '/nowhere/at/all' to back up.")
    }
}
