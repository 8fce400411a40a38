@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumStorage
import AtriumTesting
import Foundation
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

/// Where a change of a module with a database is when its process is killed.
private enum Point: String, CaseIterable {
    /// State is handed over: the last step before the databases.
    case handOver
    /// The generation before stops, after the databases and before anything is kept.
    case stopped
    /// As `handOver`, with the intent that was noted afterwards.
    case noted
}

@MainActor private var copy: ((Point) -> Void)?

private class NotesModule: FeatureModule {
    required init() {}
    func register(in registry: ModuleRegistry) {}
    func deactivate() async { copy?(.stopped) }
    func snapshot(version: Int) throws -> ModuleSnapshot? { try ModuleSnapshot(version: version, ["a": 1]) }
    func restore(_ snapshot: ModuleSnapshot) throws { copy?(.handOver) }
    class var migrations: [Migration] {
        [Migration(1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)")]
    }
}

/// Version 3.0.0, without data.
private final class PlainModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}

private final class NewNotesModule: NotesModule {
    override class var migrations: [Migration] {
        super.migrations + [Migration(2, "add done", sql: "ALTER TABLE notes ADD COLUMN done INTEGER")]
    }
}

/// Upgrades a module to a library at another path, which migrates its data, and starts on what a killed process leaves.
@Suite("A change with a migration whose process is killed", .serialized) @MainActor struct ChangeIntentTests {
    private let folder = TemporaryFolder()
    private let sites = Sites()

    @MainActor private final class Sites { var all: [DatabaseSite] = [] }

    private func write(_ name: String, _ version: String) throws -> String {
        let json = Array(manifestJSON("Notes", version: version).utf8)
        let image = ELFImage(machine: try SystemLibrary.machine(), [(".atrium.manifest", json)])
        mkdir(folder.path(String(name.split(separator: "/")[0])), 0o700)
        return folder.write(image.bytes, to: name)
    }

    /// A host on a data folder, whose modules have started.
    private func host(_ data: String) async throws -> (runtime: ModuleRuntime, manager: ModuleManager) {
        let site = DatabaseSite()
        site.folder = data
        sites.all.append(site)
        let runtime = ModuleRuntime(
            modules: [], searchPaths: [folder.path], storeFolder: folder.path("store"), site: site)
        runtime.open = { library in
            switch library.version.description {
            case "3.0.0": DynamicLibrary(address: nil) { PlainModule() }
            case "2.0.0": DynamicLibrary(address: nil) { NewNotesModule() }
            default: DynamicLibrary(address: nil) { NotesModule() }
            }
        }
        let manager = ModuleManager(
            runtime, installed: StateFile(path: "\(data)/installed.json", isDurable: false),
            intents: ChangeIntents(in: data))
        let problems = try manager.restore(after: nil)
        #expect(problems.map(\.message) == [])
        await runtime.start()
        return (runtime, manager)
    }

    /// A host with the former build and a row of its data; returns its folder, and the path of the new build.
    private func before() async throws -> (
        data: String, host: (runtime: ModuleRuntime, manager: ModuleManager), new: String
    ) {
        let (old, new) = (try write("old/libNotes.so", "1.0.0"), try write("new/libNotes.so", "2.0.0"))
        let data = folder.path("data")
        mkdir(data, 0o700)
        let host = try await host(data)
        _ = try await host.manager.run(.add([old]))
        let database = try #require(host.runtime.module("Notes")?.current?.database)
        _ = try await database.write { try $0.execute("INSERT INTO notes(text) VALUES ('milk')") }
        return (data, host, new)
    }

    /// Replaces the module by a library at another path, as from a repository.
    private func upgrade(
        _ host: (runtime: ModuleRuntime, manager: ModuleManager), to library: String
    ) async throws -> ChangeReport {
        var request = ChangeRequest()
        request.updates = try await host.runtime.libraries(at: [library])
        return try await host.manager.change(request)
    }

    @Test("A change that can't be kept for the next start is not made")
    func unkept() async throws {
        let library = try write("plain/libNotes.so", "3.0.0")
        let data = folder.path("data")
        mkdir(data, 0o700)
        let host = try await host(data)
        // Without its folder the list of modules can't be written, not even by root.
        rename(data, "\(data)-away")

        await #expect(throws: (any Error).self) { _ = try await host.manager.run(.add([library])) }

        #expect(host.runtime.module("Notes")?.current == nil)
        rename("\(data)-away", data)
        let report = try await host.manager.run(.add([library]))
        #expect(!report.events.contains { $0.level == .warning })
        #expect(try await self.host(data).runtime.module("Notes")?.current?.version.description == "3.0.0")
    }

    /// The version of the active build and of its data.
    private func versions(_ data: String) async throws -> [String] {
        let host = try await host(data)
        let current = host.runtime.module("Notes")?.current
        _ = try await current?.database?.read { try $0.query("SELECT * FROM notes", []) { _ in 0 } }
        let version = try DatabaseCopy.version(of: "\(data)/Notes.sqlite", owner: "Notes")
        return [current.map { "\($0.version)" } ?? "none", version.map { "\($0)" } ?? "none"]
    }

    @Test("The next start has the build and the data of before, or of afterwards", arguments: Point.allCases)
    fileprivate func killed(_ point: Point) async throws {
        let (data, first, new) = try await before()
        copy = { try? FileManager.default.copyItem(atPath: data, toPath: "\(data)-\($0.rawValue)") }
        defer { copy = nil }

        let report = try await upgrade(first, to: new)

        #expect(!report.events.contains { $0.level == .warning })
        if point == .noted {
            try FileManager.default.copyItem(atPath: "\(data)-handOver", toPath: "\(data)-noted")
            try FileManager.default.copyItem(
                atPath: "\(data)-stopped/change.json", toPath: "\(data)-noted/change.json")
        }
        copy = nil
        let killed = "\(data)-\(point.rawValue)"
        #expect(FileManager.default.fileExists(atPath: "\(killed)/change.json") == (point != .handOver))
        for _ in 1...2 {
            #expect(try await versions(killed) == (point == .stopped ? ["2.0.0", "2"] : ["1.0.0", "1"]))
            #expect(!FileManager.default.fileExists(atPath: "\(killed)/change.json"))
        }
        #expect(try await versions(data) == ["2.0.0", "2"])
        #expect(!FileManager.default.fileExists(atPath: "\(data)/change.json"))
    }

    /// A data folder that was left at a point, with other databases in the intent.
    private func killed(
        at point: Point, _ databases: ([[String: Any]]) -> [[String: Any]]
    ) async throws -> String {
        let (data, first, new) = try await before()
        copy = { try? FileManager.default.copyItem(atPath: data, toPath: "\(data)-\($0.rawValue)") }
        defer { copy = nil }
        _ = try await upgrade(first, to: new)
        copy = nil
        let noted = try Data(contentsOf: URL(filePath: "\(data)-stopped/change.json"))
        var intent = try #require(try JSONSerialization.jsonObject(with: noted) as? [String: Any])
        intent["databases"] = databases(try #require(intent["databases"] as? [[String: Any]]))
        let killed = "\(data)-\(point.rawValue)"
        try JSONSerialization.data(withJSONObject: intent).write(to: URL(filePath: "\(killed)/change.json"))
        return killed
    }

    @Test(
        "Where a server has the data, the next start completes the change, committed or not",
        arguments: [Point.handOver, .stopped])
    fileprivate func killedWithServer(_ point: Point) async throws {
        let killed = try await self.killed(at: point) { _ in [["module": "Notes", "version": 2]] }

        for _ in 1...2 {
            #expect(try await versions(killed) == ["2.0.0", "2"])
            #expect(!FileManager.default.fileExists(atPath: "\(killed)/change.json"))
        }
    }

    @Test(
        "Of several databases, one that has changed is enough: the next start completes the change",
        arguments: [Point.handOver, .stopped])
    fileprivate func killedWithSeveral(_ point: Point) async throws {
        let killed = try await self.killed(at: point) {
            [["module": "Other", "file": "Other.sqlite", "version": 2]] + $0
        }

        for _ in 1...2 {
            #expect(try await versions(killed) == (point == .stopped ? ["2.0.0", "2"] : ["1.0.0", "1"]))
            #expect(!FileManager.default.fileExists(atPath: "\(killed)/change.json"))
        }
    }

    @Test("While the list of modules can't be written, the intent keeps the change, and the libraries stay")
    func unwritable() async throws {
        let (data, first, new) = try await before()
        // No file replaces a folder.
        unlink("\(data)/installed.json")
        mkdir("\(data)/installed.json", 0o700)

        let report = try await upgrade(first, to: new)
        rmdir("\(data)/installed.json")

        #expect(report.events.filter { $0.level == .warning }.map(\.code) == ["changeNotKept"])
        #expect(try await versions(data) == ["2.0.0", "2"])
    }
}
