@_spi(Host) import AtriumKit
import AtriumNavigation
import AtriumRuntime
import AtriumStorage

/// Gives modules their database, clock, log and configuration, and takes their screens.
final class HostSite: ModuleSite {
    let container: Container
    let screens = ScreenTable()
    private let data: DataFolder
    private let clock = SystemClock()
    private let log: LogFile
    private var databases: [SQLiteDatabase] = []

    init(environment: Environment, data: DataFolder) {
        container = Container(environment: environment)
        self.data = data
        log = LogFile(path: data.path("atrium.log"), clock: clock)
    }

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure {
        let database = SQLiteDatabase(
            path: data.path("\(module).sqlite"), owner: module, migrations: migrations)
        databases.append(database)
        return ModuleScope.Infrastructure(
            database: database, clock: clock, logger: Logger(module: module, sink: log), analytics: log,
            configuration: configuration)
    }

    func add(_ screens: [ScreenRegistration]) throws {
        try self.screens.add(screens)
    }

    func removeScreens(of module: String) {
        screens.remove(module: module)
    }

    /// Closes the databases that were opened.
    func close() async {
        for database in databases { await database.close() }
    }
}
