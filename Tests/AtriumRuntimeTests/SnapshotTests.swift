@_spi(Host) import AtriumKit
import AtriumTesting
import Foundation
import TestSupport
import Testing

@testable import AtriumBackup
@testable import AtriumModules
@testable import AtriumStorage

@MainActor
@Suite("Snapshots and sandboxes of a data folder") struct SnapshotTests {
    private let folder = TemporaryFolder()
    private let data: DataFolder
    private let runtime: ModuleRuntime
    private let snapshots: Snapshots
    private let databases: [SQLiteDatabase]

    private struct Stopped: Error {}

    init() async throws {
        data = try DataFolder(explicit: folder.path("data"))
        try data.prepare()
        runtime = ModuleRuntime(
            modules: [], searchPaths: [], storeFolder: folder.path("store"), site: EmptySite())
        snapshots = Snapshots(
            of: data, runtime, version: "1.2.0", clock: FixedClock())
        snapshots.patience = .milliseconds(50)
        let path = data.path
        databases = ["Notes", "Shop"].map {
            SQLiteDatabase(path: "\(path)/\($0).sqlite", owner: $0, migrations: Self.migrations)
        }
        let databases = databases
        snapshots.databases = { databases }
        try await fill("before")
    }

    private static let migrations = [
        Migration(1, "create notes", sql: "CREATE TABLE notes(text TEXT)")
    ]

    /// Makes all state be this text.
    private func fill(_ text: String) async throws {
        for database in databases {
            _ = try await database.write { connection in
                try connection.execute("DELETE FROM notes")
                try connection.execute("INSERT INTO notes VALUES (?)", [.text(text)])
            }
        }
        try FileManager.default.createDirectory(
            atPath: data.path("files/Notes"), withIntermediateDirectories: true)
        for name in ["files/Notes/a", "session-local.json", "scene-local-desk.json", "installed.json"] {
            try text.write(toFile: data.path(name), atomically: false, encoding: .utf8)
        }
        try? FileManager.default.removeItem(
            atPath: data.path("files/Notes/\(text == "before" ? "new" : "old")"))
        let own = text == "before" ? "old" : "new"
        try text.write(toFile: data.path("files/Notes/\(own)"), atomically: false, encoding: .utf8)
    }

    /// The texts of a folder's state, in which all are equal.
    private static func state(of path: String) async throws -> Set<String> {
        var texts: Set<String> = []
        for name in ["Notes", "Shop"] {
            let database = SQLiteDatabase(path: "\(path)/\(name).sqlite", owner: name, migrations: migrations)
            texts.formUnion(
                try await database.read { try $0.query("SELECT text FROM notes", []) { try $0.value(0) } })
            await database.close()
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(path)/files/Notes").map {
            "files/Notes/\($0)"
        }
        for name in files + ["session-local.json", "scene-local-desk.json"] {
            texts.insert(String(decoding: contents("\(path)/\(name)"), as: UTF8.self))
        }
        return texts
    }

    @Test(
        "A reset puts databases, files and state back, keeps the state before, and leaves the modules alone")
    func reset() async throws {
        let saved = try await snapshots.save("start")
        try await fill("after")

        _ = try await snapshots.reset("start")

        #expect(saved.databases == ["Notes": 1, "Shop": 1])
        #expect(try await Self.state(of: data.path) == ["before"])
        #expect(String(decoding: contents(data.path("installed.json")), as: UTF8.self) == "after")
        #expect(snapshots.names == ["before-reset", "start"])
        #expect(
            try data.entries
                == Set([
                    "atrium-data", "files", "installed.json", "snapshots", "Notes.sqlite",
                    "Shop.sqlite", "session-local.json", "scene-local-desk.json",
                ]))
        // The open connections see the exchanged files.
        let texts: [String] = try await databases[0].read {
            try $0.query("SELECT text FROM notes", []) { try $0.value(0) }
        }
        #expect(texts == ["before"])
        _ = try await snapshots.reset("before-reset")
        #expect(try await Self.state(of: data.path) == ["after"])
    }

    @Test("After a kill at any step the next start has all of the state before, or all of the one after")
    func kills() async throws {
        _ = try await snapshots.save("start")
        try await fill("after")
        var copies: [(step: String, path: String)] = []
        snapshots.didStep = { step in
            // What a killed process leaves.
            let path = folder.path("killed-\(copies.count)")
            try FileManager.default.copyItem(atPath: data.path, toPath: path)
            copies.append((step, path))
        }

        _ = try await snapshots.reset("start")

        // Recorded; and out and in for files, two databases and two states.
        #expect(copies.count == 11, "\(copies.map(\.step))")
        for (step, path) in copies {
            let killed = try DataFolder(explicit: path)
            #expect(try Snapshots.complete(in: killed) != nil, "\(step)")
            #expect(try await Self.state(of: path) == ["before"], "\(step)")
            #expect(try await Self.state(of: path + "/snapshots/before-reset/data") == ["after"], "\(step)")
            #expect(try Snapshots.complete(in: killed) == nil)
            #expect(!(try killed.entries.contains("resetting")), "\(step)")
        }
    }

    @Test("A kill before the first step leaves the state before, and no snapshot of it")
    func killedEarly() async throws {
        _ = try await snapshots.save("start")
        try await fill("after")
        try FileManager.default.copyItem(
            atPath: data.path("snapshots/start/data"), toPath: data.path("resetting/new").withFolder)
        try FileManager.default.createDirectory(
            atPath: data.path("resetting/old"), withIntermediateDirectories: true)

        #expect(try Snapshots.complete(in: data) == nil)

        #expect(try await Self.state(of: data.path) == ["after"])
        #expect(snapshots.names == ["start"])
        #expect(!(try data.entries.contains("resetting")))
    }

    @Test("A failure at any step leaves the state before", arguments: 0..<11)
    func failures(_ number: Int) async throws {
        _ = try await snapshots.save("start")
        try await fill("after")
        var count = 0
        snapshots.didStep = { _ in
            defer { count += 1 }
            if count == number { throw Stopped() }
        }

        await #expect(throws: Stopped.self) { try await snapshots.reset("start") }

        #expect(try await Self.state(of: data.path) == ["after"])
        #expect(try data.entries.isDisjoint(with: ["resetting", "reset.json"]))
        #expect(snapshots.names == ["start"])
    }

    @Test(
        "A reset waits for the running change, and is refused while a command or another process uses the data"
    )
    func busy() async throws {
        _ = try await snapshots.save("start")
        try await fill("after")
        let work = try runtime.work.begin()
        await refused("A command is still running. Nothing was changed.")
        runtime.work.end(work)

        let reader = try PlainConnection(data.path("Shop.sqlite"), owner: "Shop", 2)
        _ = try reader.query("SELECT * FROM notes")
        await refused(
            "The data are in use: by a backup, by another process, or by a long transaction. Nothing was changed."
        )
        withExtendedLifetime(reader) {}
        #expect(try await Self.state(of: data.path) == ["after"])
    }

    private func refused(_ message: String) async {
        let error = await #expect(throws: BackupError.self) { try await snapshots.reset("start") }
        #expect(error?.message == message)
        #expect(error?.hint != nil)
    }

    @Test("Names that are taken or missing, and snapshots of a newer host, are refused")
    func names() async throws {
        _ = try await snapshots.save("start")
        let messages = await [
            message { _ = try await snapshots.save("start") },
            message { _ = try await snapshots.save("before-reset") },
            message { _ = try await snapshots.reset("stort") },
            message { try await snapshots.delete("none") },
        ]
        let newer = Snapshots(
            of: data, runtime, version: "1.1.0", clock: FixedClock())

        #expect(
            messages == [
                "There is a snapshot 'start' already.",
                "'before-reset' is the name of the state before the last reset.",
                "There is no snapshot 'stort'.", "There is no snapshot 'none'.",
            ])
        #expect(
            await message { _ = try await newer.reset("start") }
                == "The snapshot 'start' is from a newer version of Atrium: 1.2.0; this one is 1.1.0. "
                + "Nothing was changed.")
        try await snapshots.delete("start")
        #expect(snapshots.names == [])
    }

    @Test("A snapshot without one of its files is refused, instead of removing the data for it")
    func damaged() async throws {
        _ = try await snapshots.save("start")
        try FileManager.default.removeItem(atPath: data.path("snapshots/start/data/Shop.sqlite"))

        let missing = await message { _ = try await snapshots.reset("start") }
        try "{".write(
            toFile: data.path("snapshots/start/snapshot.json"), atomically: false, encoding: .utf8)
        let unreadable = await message { _ = try await snapshots.reset("start") }

        let start = "The snapshot 'start' is damaged:"
        #expect(missing == "\(start) it has no 'data/Shop.sqlite'. Nothing was changed.")
        #expect(unreadable == "\(start) its description can't be read. Nothing was changed.")
        #expect(try await Self.state(of: data.path) == ["before"])
    }

    private func message(_ body: () async throws -> Void) async -> String? {
        (await #expect(throws: BackupError.self) { try await body() })?.message
    }

    // MARK: - Sandboxes

    @Test("A sandbox has the data, shares the snapshots, changes nothing, and is removed")
    func sandbox() async throws {
        _ = try await snapshots.save("start")
        let sandbox = try Sandbox(of: data)
        let own = Snapshots(
            of: sandbox.data, original: data, runtime, version: "1.2.0",
            clock: FixedClock())
        let database = SQLiteDatabase(
            path: sandbox.data.path("Notes.sqlite"), owner: "Notes", migrations: Self.migrations)
        own.databases = { [database] }

        #expect(try await Self.state(of: sandbox.data.path) == ["before"])
        _ = try await database.write { try $0.execute("DELETE FROM notes") }
        _ = try await own.save("tried")
        _ = try await own.reset("start")
        #expect(try await Self.state(of: sandbox.data.path) == ["before"])
        #expect(snapshots.names == ["start", "tried"])
        await database.close()
        sandbox.remove()

        #expect(try await Self.state(of: data.path) == ["before"])
        #expect(folder.names(in: "data/sandboxes") == [])
    }

    /// The snapshots in the data folder itself, which is a sandbox for `undo`.
    private func ownSnapshots() -> Snapshots {
        let own = Snapshots(of: data, original: data, runtime, version: "1.2.0", clock: FixedClock())
        let databases = databases
        own.databases = { databases }
        own.patience = .milliseconds(50)
        return own
    }

    private func undo() -> Undo { Undo(ownSnapshots()) }

    @Test("Undo returns to the state before the last change that succeeded, once")
    func undoLast() async throws {
        let undo = undo()
        await #expect(throws: BackupError.self) { try await undo.undo() }
        try await undo.performing("first") { try await fill("first") }
        try await undo.performing("second") { try await fill("second") }
        await #expect(throws: Stopped.self) {
            try await undo.performing("failed") { throw Stopped() }
        }
        #expect(folder.names(in: "data/snapshots") == ["undo-2"])

        #expect(try await undo.undo() == "second")

        #expect(try await Self.state(of: data.path) == ["first"])
        #expect(folder.names(in: "data/snapshots") == [])
        await #expect(throws: BackupError.self) { try await undo.undo() }
    }

    @Test("A command that changed nothing does not take the place of the last change")
    func unchangedUndo() async throws {
        let undo = undo()
        try await undo.performing("first") { try await fill("first") }
        let count: Int? = try await undo.performing("count") {
            try await databases[0].read { try $0.first("SELECT count(*) FROM notes") { try $0.value(0) } }
        }
        #expect(count == 1 && folder.names(in: "data/snapshots") == ["undo-1"])

        #expect(try await undo.undo() == "first")

        #expect(try await Self.state(of: data.path) == ["before"])
        for name in ["files/Notes/old", "session-local.json"] {
            try await undo.performing(name) {
                try "changed".write(toFile: data.path(name), atomically: false, encoding: .utf8)
            }
            #expect(try await undo.undo() == name)
        }
    }

    @Test("A command that ends while undo waits does not remove the state to which undo returns")
    func undoWhileCommandRuns() async throws {
        let own = ownSnapshots()
        own.patience = .seconds(10)
        let undo = Undo(own)
        own.didReset = { undo.forget() }
        try await undo.performing("first") { try await fill("first") }
        let work = try runtime.work.begin()
        let undone = Task { try await undo.undo() }
        // Undo begins during the copy before it.
        try await undo.performing("second") { try await fill("second") }
        runtime.work.end(work)

        #expect(try await undone.value == "first")

        #expect(try await Self.state(of: data.path) == ["before"])
        #expect(folder.names(in: "data/snapshots") == [])
    }

    @Test("An undo that was refused can be tried again")
    func refusedUndo() async throws {
        let undo = undo()
        try await undo.performing("first") { try await fill("first") }
        let work = try runtime.work.begin()
        await #expect(throws: BackupError.self) { try await undo.undo() }
        runtime.work.end(work)

        #expect(try await undo.undo() == "first")

        #expect(try await Self.state(of: data.path) == ["before"])
    }

    @Test("A missing folder is not an empty snapshot")
    func missingFolder() throws {
        #expect(throws: BackupError.self) {
            try FileCopy.makeAll(
                in: folder.path("none"), folder.path("copy"), isInUse: false, synchronizing: false)
        }
    }

    @Test(
        "A change of large data, or of many files, is not slowed down; undo says why it keeps no copy",
        arguments: [("8 MB of data", 1, 9 << 20), ("200 files and folders", 250, 0)])
    func largeUndo(limit: String, count: Int, size: Int) async throws {
        let undo = undo()
        for number in 0..<count {
            try Data(count: size).write(to: URL(filePath: data.path("files/Notes/\(number)")))
        }

        try await undo.performing("shrink") {
            for number in 0..<count {
                try FileManager.default.removeItem(atPath: data.path("files/Notes/\(number)"))
            }
        }

        #expect(folder.names(in: "data/snapshots") == [])
        let error = await #expect(throws: BackupError.self) { try await undo.undo() }
        let reason = "Up to \(limit) are copied before a change; there were more."
        #expect(error?.message == "'shrink' can't be undone. \(reason)")
    }

    @Test("Ids of a fixed clock continue in the next host, and go back with a snapshot")
    func fixedIDs() async throws {
        let time = FixedClock().now()
        let (first, _) = (FixedIDs.source(at: time, in: data).next(), try await snapshots.save("start"))
        let second = FixedIDs.source(at: time, in: data).next()
        let host = FixedIDs.source(at: time, in: data)
        _ = try await snapshots.reset("start")

        #expect(first != second && host.next() == second)
        let other = try DataFolder(explicit: folder.path("other"))
        try other.prepare()
        #expect(FixedIDs.source(at: time, in: other).next() == first)
    }

    @Test("Ids of a fixed clock begin anew after a reset to a state before the first one")
    func firstFixedIDs() async throws {
        let ids = FixedIDs.source(at: FixedClock().now(), in: data)
        _ = try await snapshots.save("start")
        let first = ids.next()
        _ = try await snapshots.reset("start")

        #expect(ids.next() == first)
    }

    @Test("Ids of a fixed clock whose count can't be saved differ")
    func unsavedFixedIDs() throws {
        try FileManager.default.createDirectory(
            atPath: data.path("\(FixedIDs.fileName)/x"), withIntermediateDirectories: true)
        let ids = FixedIDs.source(at: FixedClock().now(), in: data)

        #expect(ids.next() != ids.next())
    }

    @Test("A copy that a killed host has left is removed; one in use stays")
    func leftovers() throws {
        let used = try Sandbox(of: data)
        let left = data.path("sandboxes/atrium-scratch-1")
        try FileManager.default.createDirectory(atPath: left + "/data", withIntermediateDirectories: true)

        Sandbox.removeLeftovers(in: data)

        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(FileManager.default.fileExists(atPath: used.data.path("Notes.sqlite")))
        used.remove()
    }
}

extension DataFolder {
    /// The names in the folder, without the empty folder of former sandboxes.
    var entries: Set<String> {
        get throws {
            Set(try FileManager.default.contentsOfDirectory(atPath: path)).subtracting(["sandboxes"])
        }
    }
}

extension String {
    /// The path, whose parent folder is made.
    fileprivate var withFolder: String {
        let folder = split(separator: "/").dropLast().joined(separator: "/")
        try? FileManager.default.createDirectory(atPath: "/" + folder, withIntermediateDirectories: true)
        return self
    }
}
