@_spi(Host) import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumStorage

/// The server with the tables of tests, at the URL in `ATRIUM_TEST_DATABASE`.
@MainActor
final class TestServer {
    /// The server; nil if tests keep their tables in files.
    nonisolated static let url = DataFolder.environmentVariable("ATRIUM_TEST_DATABASE")
    private static let shared = TestServer()

    private var loading: Task<any DatabaseEngine, any Error>?
    private var isLoaded = false
    /// The host that has loaded the engine.
    private var host: (site: TestSite, runtime: ModuleRuntime)?

    /// Returns a database for a schema; it connects on first use.
    nonisolated static func database(
        _ schema: String, _ migrations: [Migration], at url: String
    ) -> ServerDatabase {
        ServerDatabase(isEngineLoaded: { await shared.isLoaded }) {
            try await shared.engine().database(of: schema, migrations: migrations, at: url)
        }
    }

    private func engine() async throws -> any DatabaseEngine {
        let task = loading ?? Task { try await load() }
        loading = task
        return try await task.value
    }

    /// Loads the module with the engine as a host does, from the folder that this code is in.
    private func load() async throws -> any DatabaseEngine {
        let folder = try Folder.makeTemporary("atrium-test")
        // Loaded libraries stay mapped without their files.
        defer { FileSystem.remove(folder) }
        let site = TestSite(
            .local, folder: folder, doubles: TestDoubles(clock: FixedClock(), session: TestSession()))
        let runtime = ModuleRuntime(
            modules: [HostConfiguration.Module(name: "PostgreSQL")],
            searchPaths: try ModuleLibrary.foldersOfLibraries(), storeFolder: "\(folder)/store", site: site)
        await runtime.start()
        host = (site, runtime)
        let engine = try await runtime.infrastructure((any DatabaseEngine).self)
        isLoaded = true
        return engine
    }
}

/// The place where a test keeps the tables of a module.
enum TestStore: Sendable {
    case file(String)
    case schema(String, url: String)

    /// Chooses the place for a module: in the folder of the test, or in a schema named after it.
    init(of module: String, in folder: String) {
        self =
            if let url = TestServer.url {
                .schema("\(folder.split(separator: "/").last ?? "test") \(module)", url: url)
            } else {
                .file("\(folder)/\(module).sqlite")
            }
    }

    /// Returns the database of a module in this place; opens nothing.
    func database(of module: String, _ migrations: [Migration]) -> any ManagedDatabase {
        switch self {
        case .file(let path): SQLiteDatabase(path: path, owner: module, migrations: migrations)
        case .schema(let name, let url): TestServer.database(name, migrations, at: url)
        }
    }

    /// Drops the schema on the server, if any; files are removed with the folder of the test.
    func drop() {
        guard case .schema(let name, let url) = self else { return }
        Task {
            let database = TestServer.database("atrium-test", [], at: url)
            try await database.write { _ = try $0.execute("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE") }
        }
    }
}
