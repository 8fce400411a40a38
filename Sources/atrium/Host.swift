import AtriumBackup
import AtriumCommands
import AtriumCrash
@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumModules
import AtriumNavigation
import AtriumPrompt
internal import AtriumRepositories
import AtriumStorage
internal import AtriumText
import MainQueue

/// The modules of a host, their site and their state.
@MainActor
final class Host {
    let setup: HostSetup
    let site: HostSite
    let files: StateFiles
    let runtime: ModuleRuntime
    let changes: ModuleManager
    /// The database that stores the data of environment local; nil for files.
    let database: DatabaseURL?
    /// The state of the scene that a front end in this process shows.
    private(set) var mainState: NavigationState?
    private(set) var crash: CrashNotice?
    private(set) var problems: [any ExplainedError]
    /// The failed starts before this one.
    private let failure: StartJournal.Failure?

    /// Runs a host, or has the one that runs do the work.
    static func run(_ options: Options, _ start: Supervisor.Start?) async throws -> ExitStatus {
        // First of all: a URL refused for its password must not be sent to a running host, nor printed.
        let database = try options.database.map { try DatabaseURL($0) }
        if options.attaches { return try await HostSetup.attach(options) }
        var setup = try HostSetup(options)
        defer { setup.sandbox?.remove() }
        if let status = try await setup.lockFolder() { return status }
        let host = try Host(setup, database)
        try await host.restore(start)
        if options.mode == .lock { return try host.writeLock() }
        await host.runtime.start(activates: options.activates, options.selection)
        MainActorTime.countsDelays = true
        if options.mode == .copyDatabase { return try await host.copyData() }
        if options.mode == .migrateDatabase { return try await host.migrateData() }
        let frontEnd = try HostFrontEnd(of: host)
        frontEnd.report()
        await frontEnd.settleReset()
        let status = try await frontEnd.run()
        await frontEnd.end()
        return status
    }

    private init(_ setup: HostSetup, _ given: DatabaseURL?) throws {
        self.setup = setup
        failure = Self.watchProcess(setup)
        database = setup.environment == .local ? try given ?? setup.configuration.database() : nil
        site = HostSite(
            environment: setup.environment, data: setup.data, clock: setup.clock,
            ids: setup.ids(isAlone: database == nil))
        site.log.levels = setup.logLevels
        if let prints = ModulePrints.begin(log: site.log) {
            MainQueue.also = (prints, { ModulePrints.read() })
        }
        files = StateFiles(
            setup.data, environment: setup.environment, logger: Logger(module: "host", sink: site.log))
        var problems = setup.problems
        try files.restoreSession { problems.append($0) }
        runtime = try setup.runtime(at: site, database)
        site.server = try database.map { [runtime, site] in
            try DatabaseServer($0, runtime, site.feed, in: setup.data.path)
        }
        if setup.environment == .live {
            site.connect(
                to: try LiveAPI(setup.options, setup.configuration, site: site, data: setup.data, runtime) {
                    problems.append($0)
                })
        }
        self.problems = problems
        changes = setup.changes(of: runtime, database)
    }

    /// Watches this process for crashes and blocked steps; returns how starts before it failed.
    private static func watchProcess(_ setup: HostSetup) -> StartJournal.Failure? {
        let (data, options) = (setup.data, setup.options)
        let failure = setup.isTemporary ? nil : StartJournal.begin(at: data.path("start"))
        CrashHandler.install(recordPath: data.path("crash"))
        Watchdog.watch(
            limit: options.stepLimit, journal: data.path("events.jsonl"), startsAnew: !setup.isTemporary)
        if !options.isInteractive { Watchdog.endsSteps() }
        Coordinator.notePhase = { Watchdog.note($0) }
        Coordinator.stepLimit = options.stepLimit
        return failure
    }

    /// Restores the modules and the main scene as the process before this one left them.
    private func restore(_ start: Supervisor.Start?) async throws {
        if setup.usesData, let former = setup.formerVersion, former != HostVersion.current {
            let versions = "by Atrium \(former) before, and is by \(HostVersion.current) now"
            runtime.journal.record("version", "The data folder was used \(versions).")
        }
        // Read everything before the record is taken: a start that can't read something must not lose it.
        try changes.load()
        if ![.serve, .mcp, .lock, .copyDatabase, .migrateDatabase].contains(setup.options.mode) {
            mainState = try files.restoreStack(of: Scene.main) { problems.append($0) }
        }
        let crash = setup.usesData ? try await previousCrash(start) : nil
        problems += try changes.restore(after: crash, failedStarts: failure?.count ?? 0) {
            if setup.usesData { CrashRecord.remove(setup.data.path("crash")) }
        }
        try runtime.check(setup.options.selection)
        let names = runtime.modules.map(\.name)
        problems += site.log.levels.resolve(among: names).map {
            ShellError.unknown(
                .unknownModule, $0, among: names + LogLevels.ownNames, else: "'modules' lists them."
            ) { "A log level is set for '\($0)', which is not a module." }
        }
        for notice in changes.notices(of: failure, crash) { Report.warning(notice) }
        self.crash = failure == nil ? crash.map { CrashNotice($0, hint: changes.hint(after: $0)) } : nil
    }

    /// The unexpected end of the previous process, if there was one.
    private func previousCrash(_ start: Supervisor.Start?) async throws -> CrashRecord? {
        let recorded = try CrashRecord.read(setup.data.path("crash"))
        let previous = start?.previous
        // Superseded if more is known about the end of that process.
        let noted = setup.isTemporary ? nil : RunningNote.begin(at: setup.data.path("running"))
        let isKnown = failure != nil || Watchdog.hasStartedAnew
        let crash =
            (previous?.culprit == nil ? recorded ?? previous : previous) ?? (isKnown ? nil : noted)
        return await (failure?.complete(crash) ?? crash)?.symbolicated()
            .withSourceLine(debugFolders: Installation.current.debugFolders)
    }

    /// Writes modules.lock: the digests of the libraries as they are now.
    private func writeLock() throws -> ExitStatus {
        let (lock, path) = (try runtime.lock(), setup.configuration.lockPath)
        try lock.write(to: path)
        let entries = [lock.modules, lock.contracts].flatMap { $0.sorted { $0.key < $1.key } }
        let lines = entries.map { name, entry in "\(name) \(entry.version) \(entry.digest.prefix(16))…\n" }
        return Report.print(lines.joined() + "Wrote \(path).", of: "lock", isJSON: setup.options.isJSON)
    }
}

extension HostSetup {
    fileprivate func runtime(at site: HostSite, _ database: DatabaseURL?) throws -> ModuleRuntime {
        let hasFiles = environment != .mock && database == nil
        let runtime = ModuleRuntime(
            modules: configuration.modules(with: database?.engine), searchPaths: configuration.searchPaths,
            storeFolder: data.path("modules"), site: site,
            trust: options.mode == .lock ? nil : try configuration.trustPolicy(),
            // Verifying tries everything, in this process.
            preflight: !options.activates || !options.triesModules ? nil : preflight(hasFiles: hasFiles),
            journal: Journal(path: data.path("events.jsonl"), clock: clock), stepLimit: options.stepLimit)
        runtime.keeper = ProcessKeeper()
        runtime.limits = RepositoryLimits(configuration.repositoryLimits)
        runtime.readTrust = { try configuration.trustPolicy() }
        return runtime
    }

    private func preflight(hasFiles: Bool) -> Preflight {
        let copySample: Preflight.SampleCopier = { [data] module, folder in
            let file = "\(module).sqlite"
            try DatabaseCopy.sample(of: data.path(file), to: "\(folder)/\(file)", owner: module)
        }
        return Preflight(
            executable: HostExecutable.path, folder: data.path("modules/verdicts"),
            limit: options.preflightLimit,
            // Without data there is nothing to migrate.
            copySample: hasFiles ? copySample : nil)
    }

    fileprivate func changes(of runtime: ModuleRuntime, _ database: DatabaseURL?) -> ModuleManager {
        func file(_ name: String, isDurable: Bool = false) -> StateFile {
            StateFile(path: data.path("\(name).json"), isDurable: isDurable)
        }
        let changes = ModuleManager(
            runtime, installed: file("installed"), crashes: file("crashes"),
            // Verification activates nothing, so it has no state to keep.
            states: options.activates ? file("module-states-\(environment.rawValue)") : nil,
            configuration: file("module-configuration", isDurable: true),
            intents: usesData && options.activates ? ChangeIntents(in: data.path) : nil,
            repositories: Repositories(
                folders: configuration.repositories, libraries: data.path("libraries")))
        changes.databaseEngine = database?.engine
        return changes
    }
}
