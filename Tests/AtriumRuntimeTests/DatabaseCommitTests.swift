@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumStorage
import AtriumTesting
import TestSupport
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

private class KeeperModule: FeatureModule {
    required init() {}
    func register(in registry: ModuleRegistry) {}

    static let one = Migration(
        1, "create notes", sql: "CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT)")
    static let two = Migration(2, "add done", sql: "ALTER TABLE notes ADD COLUMN done INTEGER")
    /// Works until it is committed, which then fails.
    static let deferred = Migration(
        2, "add parents",
        sql: """
            CREATE TABLE children(parent INTEGER REFERENCES notes(id) DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO children VALUES (99)
            """)

    class var migrations: [Migration] { [one] }
}

private final class GoodModule: KeeperModule {
    override class var migrations: [Migration] { [one, two] }
}

private final class BadModule: KeeperModule {
    override class var migrations: [Migration] { [one, deferred] }
}

/// Modules with databases whose update fails when the second of them is committed.
@Suite("The databases of several modules in one change") @MainActor struct DatabaseCommitTests {
    private let folder = TemporaryFolder()
    private let site = DatabaseSite()
    private let builds: [String: KeeperModule.Type] = [
        "A 1.1.0": GoodModule.self, "B 1.1.0": BadModule.self, "C 1.1.0": GoodModule.self,
    ]

    private func write(_ names: String..., version: String, activation: String = "startup") throws {
        for name in names {
            let json = manifestJSON(name, version: version)
                .replacing("{\"name\"", with: "{\"activation\": \"\(activation)\", \"name\"")
            let image = ELFImage(
                machine: try SystemLibrary.machine(), [(".atrium.manifest", Array(json.utf8))])
            folder.write(image.bytes, to: "lib\(name).so")
        }
    }

    private func runtime(_ names: String...) -> ModuleRuntime {
        site.folder = folder.path
        let runtime = ModuleRuntime(
            modules: names.map { HostConfiguration.Module(name: $0) }, searchPaths: [folder.path],
            storeFolder: folder.path("store"), site: site)
        runtime.open = { library in
            let type = builds["\(library.name) \(library.version)"] ?? KeeperModule.self
            return DynamicLibrary(address: nil) { type.init() }
        }
        return runtime
    }

    private func fill(_ names: String...) async throws {
        for name in names {
            let database = site.database(name, KeeperModule.migrations)
            _ = try await database.write { try $0.execute("INSERT INTO notes(text) VALUES ('milk')") }
        }
    }

    private func version(_ name: String) throws -> Int? {
        try DatabaseCopy.version(of: folder.path("\(name).sqlite"), owner: name)
    }

    @Test("If one can't be committed, those before it are as they were, and the builds before use them")
    func refused() async throws {
        try write("A", "B", "C", version: "1.0.0")
        let runtime = runtime("A", "B", "C")
        await runtime.start()
        try await fill("A", "B", "C")
        try write("A", "B", "C", version: "1.1.0")

        let error = await #expect(throws: ModuleError.self) {
            try await ModuleManager(runtime).run(.update([]))
        }

        #expect(error?.message.contains("FOREIGN KEY constraint failed") == true, "\(error?.message ?? "")")
        #expect(try [version("A"), version("B"), version("C")] == [1, 1, 1])
        #expect(runtime.modules.map { $0.current.map { "\($0.version)" } } == ["1.0.0", "1.0.0", "1.0.0"])
        for name in ["A", "B", "C"] {
            let database = try #require(runtime.module(name)?.current?.database)
            let texts: [String] = try await database.read {
                try $0.query("SELECT * FROM notes", []) { try $0.value("text") }
            }
            #expect(texts == ["milk"])
            _ = try await database.write { try $0.execute("INSERT INTO notes(text) VALUES ('tea')") }
        }
    }

    @Test("A migration during a load on demand leaves a note for the next command")
    func onDemand() async throws {
        try write("A", version: "1.1.0", activation: "onDemand")
        let runtime = runtime("A")
        try await fill("A")
        await runtime.start()
        #expect(runtime.events.isEmpty)

        try await runtime.load(try #require(runtime.module("A")))

        #expect(runtime.events.map(\.code) == ["migrated"])
        #expect(try version("A") == 2)
    }

    @Test("If a copy is lost before it is needed, the error says which data stay migrated")
    func notPutBack() async throws {
        try write("A", "B", version: "1.0.0")
        let runtime = runtime("A", "B")
        await runtime.start()
        try await fill("A", "B")
        try write("A", "B", version: "1.1.0")
        // A file in the place of their folder.
        folder.write([], to: "copies")

        let error = await #expect(throws: ModuleError.self) {
            try await ModuleManager(runtime).run(.update([]))
        }

        #expect(
            error?.message.hasSuffix(
                " The data of module 'A' stay migrated to version 2, as version 1 can't be put back: "
                    + "there is no copy.") == true, "\(error?.message ?? "")")
        #expect(try [version("A"), version("B")] == [2, 1])
    }
}

/// A site with a database for each module, in a folder.
@MainActor final class DatabaseSite: ModuleSite {
    let container = Container(environment: .local)
    var folder = ""

    func database(_ module: String, _ migrations: [Migration]) -> SQLiteDatabase {
        SQLiteDatabase(path: "\(folder)/\(module).sqlite", owner: module, migrations: migrations)
    }

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure {
        let none = ModuleScope.Infrastructure.none
        return ModuleScope.Infrastructure(
            database: database(module, migrations), clock: none.clock, logger: none.logger,
            analytics: none.analytics, configuration: configuration)
    }

    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {}
    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {}
}
