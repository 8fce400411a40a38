@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumModules
import AtriumNavigation
import AtriumStorage

final class HostSite: ModuleSite {
    let container: Container
    let screens = ScreenTable()
    let mocks: MockDirector
    /// The calls of services; nil in a trial, in which nothing is tapped.
    let calls: CallMonitor?
    private let data: DataFolder
    let clock: any WallClock
    private let ids: IDSource
    let log: LogFile
    private(set) var live: LiveAPI?
    /// The databases in use; each generation of a module has its own connection.
    private var databases: [WeakDatabase] = []
    let stacks = StackList()
    /// The feed that reports changed data to modules.
    let feed = ChangeFeed()
    /// The server that stores the data instead of files; nil for files.
    var server: DatabaseServer?

    var dialect: Dialect? { isTrial ? nil : server == nil ? .sqlite : .postgresql }
    private let isTrial: Bool

    private struct WeakDatabase { weak var database: (any ManagedDatabase)? }

    init(
        environment: Environment, data: DataFolder, isTrial: Bool = false,
        clock: any WallClock = SystemClock(), ids: IDSource = .random
    ) {
        (self.clock, self.ids) = (clock, ids)
        container = Container(environment: environment)
        self.data = data
        self.isTrial = isTrial
        mocks = MockDirector(clock: clock)
        calls = isTrial ? nil : CallMonitor()
        log = LogFile(path: data.path("atrium.log"), clock: clock)
    }

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure {
        let database = database(of: module, migrations)
        databases.removeAll { $0.database == nil }
        databases.append(WeakDatabase(database: database))
        let folder = data.path("files/\(module)")
        return ModuleScope.Infrastructure(
            database: database, clock: clock, logger: Logger(module: module, sink: log), analytics: log,
            configuration: configuration, api: live?.client ?? NoAPIClient(), mocks: mocks,
            namedAPI: { [live] in live?.client($0, $1) ?? NoAPIClient() },
            makeDataFolder: { try Folder.make(folder) }, changes: feed, calls: calls, ids: ids)
    }

    func server(ofAPI name: String) -> String? { live?.server(of: name) }

    private func database(of module: String, _ migrations: [Migration]) -> any ManagedDatabase {
        guard let server else {
            return SQLiteDatabase(
                path: data.path("\(module).sqlite"), owner: module, migrations: migrations,
                didCommit: { [feed] in feed.send($0, isOwn: true) })
        }
        return server.database(of: module, migrations)
    }

    /// Gives modules that are loaded from now on access to a server's API.
    func connect(to live: LiveAPI) { self.live = live }

    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {
        try self.screens.check(screens, replacingThoseOf: modules)
    }

    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {
        self.screens.exchange(screens, replacingThoseOf: modules)
    }

    func screens(affectedBy change: ContainerChange) -> [String] {
        stacks.links(affectedBy: change)
    }

    var entryObjects: [EntryObjects] {
        stacks.entryObjects.map { EntryObjects(link: $0.link, objects: $0.objects, entry: $0.entry) }
    }

    func didExchange(_ change: ContainerChange) {
        stacks.rebuildScreens(after: change)
        live?.didExchange(change)
        server?.modulesDidChange()
    }

    /// The databases in files, of all generations that are in memory.
    var fileDatabases: [SQLiteDatabase] { databases.compactMap { $0.database as? SQLiteDatabase } }

    /// Rebuilds everything that was built from data which have been exchanged.
    func renew() {
        didExchange(container.renew())
        feed.dropEverything()
    }

    func close() async {
        await server?.leave()
        for entry in databases { await entry.database?.close() }
    }
}
