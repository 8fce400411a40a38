@_spi(Host) import AtriumKit
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumStorage

/// The site of a ``TestHost``: its test doubles, and databases in its folder.
@MainActor
final class TestSite: ModuleSite {
    let container: Container
    let screens = ScreenTable()
    let mocks: MockDirector
    let calls = CallMonitor()
    private let folder: String
    private let doubles: TestDoubles
    private let api: any APIClient
    /// The databases that a test made, by module.
    private let stores: [String: TestStore]
    private var ownStores: [TestStore] = []
    private var opened: [any ManagedDatabase] = []
    let stacks = StackList()

    init(
        _ environment: Environment, folder: String, doubles: TestDoubles, api: (any APIClient)? = nil,
        stores: [String: TestStore] = [:]
    ) {
        container = Container(environment: environment, session: doubles.session.manager)
        mocks = MockDirector(clock: doubles.clock, sleep: { _ in })
        self.folder = folder
        self.doubles = doubles
        self.api = api ?? NoAPIClient()
        self.stores = stores
    }

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure {
        let files = "\(folder)/files-\(module)"
        return ModuleScope.Infrastructure(
            database: database(of: module, migrations), clock: doubles.clock,
            logger: doubles.log.logger, analytics: doubles.analytics, configuration: configuration, api: api,
            mocks: mocks, makeDataFolder: { try Folder.make(files) }, calls: calls)
    }

    private func database(of module: String, _ migrations: [Migration]) -> any ManagedDatabase {
        let store = stores[module] ?? ownStore(of: module)
        let database = store.database(of: module, migrations)
        opened.append(database)
        return database
    }

    private func ownStore(of module: String) -> TestStore {
        let store = TestStore(of: module, in: folder)
        ownStores.append(store)
        return store
    }

    /// Drops the tables of databases that no test made.
    func drop() {
        guard container.environment == .local else { return }
        for store in ownStores { store.drop() }
    }

    var dialect: Dialect? { TestServer.url == nil ? .sqlite : .postgresql }

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

    func didExchange(_ change: ContainerChange) { stacks.rebuildScreens(after: change) }

    func close() async {
        for database in opened { await database.close() }
        opened = []
    }
}

@MainActor
struct TestDoubles {
    let clock: FixedClock
    let session: TestSession
    let analytics = RecordingAnalytics()
    let log = RecordingLog()
}
