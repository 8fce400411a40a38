@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation
import AtriumNetworking
import AtriumRuntime
import AtriumShell
import AtriumStorage
internal import AtriumText
import Glibc
import MainQueue

@MainActor
enum Host {
    static func run(_ options: Options, _ start: Supervisor.Start?) async throws -> ExitStatus {
        // First of all: a URL refused for its password must not be sent to a running host, nor printed.
        let given = try options.database.map { try DatabaseURL($0) }
        if options.attaches { return try await attach(options) }
        let configuration = try ConfigurationFile.find(options.configurationFile)
        let environment = options.environment ?? Environment(configuration.host.environment)
        let source = try options.source()
        if let folder = options.developed { _ = try Development.package(at: folder) }
        let data = try DataFolder(
            explicit: options.dataFolder ?? options.developed.map { "\($0)/.build/atrium" }
                ?? configuration.dataFolder)
        if options.mode == .copyDatabase { try DatabaseMove.check(data.path) }
        let former = try FolderLock.checkFormat(of: data)
        try data.prepare()
        var folderProblems: [any ExplainedError] = []
        // 'atrium lock' can run beside a host: it changes nothing of the host's.
        let usesData = options.mode != .lock
        if usesData {
            let status = try await lock(data, options, source) { folderProblems.append($0) }
            if let status { return status }
            folderProblems += try data.clearFolders([
                "modules", "modules/known", "modules/verdicts", "files", "libraries",
            ])
        }
        let isTemporary = !options.activates || options.mode == .lock
        let failure = isTemporary ? nil : StartJournal.begin(at: data.path("start"))
        CrashHandler.install(recordPath: data.path("crash"))
        Watchdog.watch(
            limit: options.stepLimit, journal: data.path("events.jsonl"), startsAnew: !isTemporary)

        if !options.isInteractive { Watchdog.endsSteps() }
        Coordinator.notePhase = { Watchdog.note($0) }

        let site = HostSite(environment: environment, data: data)
        if let prints = ModulePrints.begin(log: site.log) {
            MainQueue.also = (prints, { ModulePrints.read() })
        }
        let files = StateFiles(data, environment: environment)
        var problems = folderProblems
        try files.restoreSession { problems.append($0) }
        let database = environment == .local ? try given ?? configuration.database() : nil
        let runtime = ModuleRuntime(
            modules: configuration.modules(with: database?.engine), searchPaths: configuration.searchPaths,
            storeFolder: data.path("modules"), site: site,
            trust: options.mode == .lock ? nil : try configuration.trustPolicy(),
            // Verifying tries everything, in this process.
            preflight: !options.activates || !options.triesModules
                ? nil : preflight(options, data, hasFiles: environment != .mock && database == nil),
            journal: Journal(path: data.path("events.jsonl")), stepLimit: options.stepLimit)
        site.server = database.map { DatabaseServer($0, runtime, site.feed) }
        if environment == .live {
            let live = try LiveAPI(options, configuration, site: site, data: data, runtime) {
                problems.append($0)
            }
            site.connect(to: live)
        }
        if usesData, let former, former != HostVersion.current {
            let versions = "by Atrium \(former) before, and is by \(HostVersion.current) now"
            runtime.journal.record("version", "The data folder was used \(versions).")
        }
        runtime.keeper = ProcessKeeper()
        runtime.readTrust = { try configuration.trustPolicy() }
        let changes = ModuleManager(
            runtime, installed: StateFile(path: data.path("installed.json"), isDurable: false),
            crashes: StateFile(path: data.path("crashes.json"), isDurable: false),
            // Verification activates nothing, so it has no state to keep.
            states: !options.activates
                ? nil
                : StateFile(
                    path: data.path("module-states-\(environment.rawValue).json"), isDurable: false),
            configuration: StateFile(path: data.path("module-configuration.json"), isDurable: true),
            intents: usesData && options.activates ? ChangeIntents(in: data.path) : nil,
            repositories: Repositories(
                folders: configuration.repositories, libraries: data.path("libraries")))
        changes.databaseEngine = database?.engine
        // Read everything before the record is taken: a start that can't read something must not lose it.
        try changes.load()
        let main = shows(options) ? try files.restoreStack(of: Scene.main) { problems.append($0) } : nil
        let crash =
            usesData
            ? try await previousCrash(start, data, failure, notes: !isTemporary) : nil
        problems += try changes.restore(after: crash, failedStarts: failure?.count ?? 0) {
            if usesData { CrashRecord.remove(data.path("crash")) }
        }
        try runtime.check(options.selection)
        for notice in changes.notices(of: failure, crash) { Report.warning(notice) }
        if options.mode == .lock { return try writeLock(runtime, configuration, options) }
        await runtime.start(activates: options.activates, options.selection)

        if options.mode == .copyDatabase { return try await copyData(of: runtime, site, data, options) }

        changes.resumeWatching()
        let shellHost = ShellHost(
            screens: site.screens, stacks: site.stacks, runtime: runtime, changes: changes,
            environment: environment, mocks: site.mocks, apis: site.live?.forCommands ?? HostAPIs(),
            clock: site.clock)
        shellHost.keep = { [unowned shellHost] in
            try files.keep(shellHost.scenes, changes, isUrgent: $0)
        }
        shellHost.keptScenes = { [unowned shellHost] in
            files.keptScenes { link in !shellHost.scenes.contains { $0.name == link } }
        }
        shellHost.historyFile = data.path("history")
        files.sessionDidChange = { [weak shellHost] in shellHost?.sessionDidChange() }
        if let server = site.server {
            let identity = try SharedHost.identity(of: data.path, on: Self.machine)
            server.makeGroup = { [weak shellHost, changes, feed = site.feed] table, membership in
                let machine = Self.machine
                return HostGroup(
                    table, membership, changes, feed: feed,
                    record: RolloutRecord(path: data.path("rollouts.json")),
                    describe: { shellHost?.description(of: data.path, on: machine, identity) },
                    checkHealth: { [unowned server] in
                        // A lost connection says nothing about a build.
                        if let loss = server.loss { throw loss }
                        try await shellHost?.checkHealth()
                    })
            }
            server.announce = { [weak shellHost] in shellHost?.announce($0) }
            shellHost.willPerform = { [unowned server] in server.dropCachesIfLost() }
            shellHost.feedLoss = { [unowned server] in server.loss }
            shellHost.group = { try await server.group() }
            // A script joins on its first use of data.
            if options.isInteractive || options.mode == .serve || options.mode == .mcp {
                Task { _ = try? await server.group() }
            }
        }
        shellHost.backUp = { try await Backup.writeInChild(data, to: $0) }
        let shell = main.map {
            HostShell(
                scene: shellHost.beginScene(Scene.main, state: $0), options: options, source: source,
                historyFile: data.path("history"))
        }
        let notice = failure == nil ? crash.map { CrashNotice($0, hint: changes.hint(after: $0)) } : nil
        if let notice { problems.append(notice) }
        let server = server(of: shellHost, data, files, options, configuration, notice, database)
        let warn: ([any ExplainedError]) -> Void = { errors in
            guard let shell else { return errors.forEach { Report.warning($0) } }
            shell.warn(errors)
        }
        warn(options.mode == .verify ? problems : problems + runtime.problems)
        warn(runtime.takeWarnings())
        for note in runtime.takeNotes() { Report.note(note) }
        if let folder = options.developed { try await shell?.develop(folder) }
        var status = ExitStatus.done
        if let shell {
            if options.isInteractive, !isTemporary {
                shell.serve(server)
            } else if !isTemporary {
                // Most scripts have ended by then.
                MainQueue.later = (.now + .milliseconds(100), { shell.serve(server) })
            }
            status = await shell.run()
            MainQueue.later = nil
        } else if options.mode == .mcp {
            status = try await speakMCP(server, options)
        } else {
            try await serve(server, options)
        }
        CrashHandler.willLeave()
        await server.stop()
        warn(changes.keepStates())
        warn(await runtime.stop())
        await site.close()
        ModulePrints.settle()
        return status
    }

    // MARK: - Front ends in other processes

    /// Locks the data folder, or has the host that owns it do the work.
    ///
    /// - Returns: The exit status from the other host; nil if this process is the host.
    private static func lock(
        _ data: DataFolder, _ options: Options, _ source: ScriptSource,
        report: (any ExplainedError) -> Void
    ) async throws -> ExitStatus? {
        var attaches = options.canAttach && !options.isAlone
        var (client, failure) = ((any AttachedFrontEnd)?.none, (any Error)?.none)
        var waits = options.isAlone
        while true {
            let lock = try await FolderLock.take(
                data, version: HostVersion.current, now: SystemClock().now(),
                patience: options.isAlone ? nil : .seconds(5),
                isServed: { isStopped in
                    if waits { Report.note("Waiting for the host that uses \(data.path) to end.") }
                    waits = false
                    guard attaches, !isStopped else { return false }
                    do throws(ShellError) {
                        client = try frontEnd(of: data, options, source)
                    } catch { failure = error }
                    return client != nil || failure != nil
                }, report: report)
            if let failure { throw failure }
            guard lock == nil, let attached = client else { return nil }
            client = nil
            switch try await attached.begin() {
            case .begun: return try await attached.run()
            case .isScript: attaches = false
            // Pause before asking a host again that accepts and then exits.
            case .hasEnded: try? await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// The front end that attaches to the host of a folder; nil if none is running.
    private static func frontEnd(
        of data: DataFolder, _ options: Options, _ source: ScriptSource
    ) throws(ShellError) -> (any AttachedFrontEnd)? {
        if options.mode == .mcp { return try MCPRelay(to: data, options) }
        return try HostClient(to: data).map {
            AttachedShell(to: $0, in: data, options: options, source: source)
        }
    }

    /// Carries out the options in the running host.
    private static func attach(_ options: Options) async throws -> ExitStatus {
        let (data, source) = (try dataFolder(options), try options.source())
        guard let attached = try frontEnd(of: data, options, source) else {
            throw ShellError.noHost(data.path)
        }
        guard try await attached.begin() == .begun else { throw ShellError.noHost(data.path) }
        return try await attached.run()
    }

    /// Prepares the host for front ends in other processes.
    private static func server(
        of host: ShellHost, _ data: DataFolder, _ files: StateFiles, _ options: Options,
        _ configuration: ConfigurationFile, _ crash: CrashNotice?, _ database: DatabaseURL?
    ) -> SceneServer {
        let api = (options.api ?? configuration.api(authority: options.authority).url)?.text
        return SceneServer(
            host, in: data,
            as: HostIdentity(
                kind: options.mode == .serve || options.mode == .mcp
                    ? .none : options.isInteractive ? .terminal : .script,
                environment: host.environment, api: api, configurationFile: configuration.path,
                database: database?.shown, options: options, crash: crash),
            drainLimit: options.drainLimit,
            restore: { (name, report) throws(StorageError) in try files.restoreStack(of: name, report: report)
            }, forget: { try? files.forgetStack(of: $0) })
    }

    /// Serves the program on standard input and output until it and all other clients have left.
    private static func speakMCP(_ server: SceneServer, _ options: Options) async throws -> ExitStatus {
        server.log = { Report.note($0) }
        do throws(ShellError) { try server.start() } catch { Report.warning(error) }
        StartJournal.ready()
        UserFile.reserveStandardInput()
        let sockets = try MCPRelay.pair()
        server.serve(sockets.host)
        let relay = MCPRelay(over: sockets.relay, options)
        guard try await relay.begin() == .begun else { throw ShellError.noHost(server.address) }
        let signals = Task {
            await Service().run(endingWithin: options.drainLimit)
            await server.stop()
        }
        defer { signals.cancel() }
        // The host ends in order after an error, too.
        let status: ExitStatus
        do { status = try await relay.run() } catch { status = Report.failure(error, isJSON: options.isJSON) }
        await server.idle()
        return status
    }

    /// Runs without a front end until a signal ends the process.
    private static func serve(_ server: SceneServer, _ options: Options) async throws {
        server.log = { Report.note($0) }
        server.host.log = { Report.note($0) }
        try server.start()
        StartJournal.ready()
        Report.note("Serving \(server.address): 'atrium attach' opens a prompt, SIGTERM ends.")
        await Service().run(endingWithin: options.drainLimit)
        Report.note("Ending.")
        server.stopRunning()
    }

    /// True if a front end in this process shows the main scene.
    private static func shows(_ options: Options) -> Bool {
        options.mode != .serve && options.mode != .mcp && options.mode != .lock
            && options.mode != .copyDatabase
    }

    /// How the previous process ended unexpectedly, if it did.
    private static func previousCrash(
        _ start: Supervisor.Start?, _ data: DataFolder, _ failure: StartJournal.Failure?,
        notes: Bool
    ) async throws -> CrashRecord? {
        let recorded = try CrashRecord.read(data.path("crash"))
        let previous = start?.previous
        // Superseded if more is known about the end of that process.
        let noted = notes ? RunningNote.begin(at: data.path("running")) : nil
        let isKnown = failure != nil || Watchdog.hasStartedAnew
        let crash =
            (previous?.culprit == nil ? recorded ?? previous : previous) ?? (isKnown ? nil : noted)
        return await (failure?.complete(crash) ?? crash)?.symbolicated()
            .withSourceLine(debugFolders: Installation.current.debugFolders)
    }

    /// Writes modules.lock: the digests of the libraries as they are now.
    private static func writeLock(
        _ runtime: ModuleRuntime, _ configuration: ConfigurationFile, _ options: Options
    ) throws -> ExitStatus {
        let lock = try runtime.lock()
        try lock.write(to: configuration.lockPath)
        let lines = lock.modules.sorted { $0.key < $1.key }.map { name, entry in
            "\(name) \(entry.version) \(entry.digest.prefix(16))…"
        }
        return Report.print(
            lines + ["Wrote \(configuration.lockPath)."], of: "lock", isJSON: options.isJSON)
    }

    // MARK: - The installation

    /// Creates a package for a new module.
    static func makePackage(_ name: String, _ options: Options) throws -> ExitStatus {
        let package = try NewPackage.make(
            name, template: options.template ?? "minimal", in: options.parentFolder ?? ".",
            sdk: Installation.current.sdk, taken: Installation.current.manifests)
        let (content, message) = InstallationViews.made(package)
        return Report.print(content, message, of: "new", isJSON: options.isJSON)
    }

    /// Writes the index of a repository.
    static func indexRepository(_ folder: String, _ options: Options) throws -> ExitStatus {
        let report = try RepositoryWriter.write(folder, key: options.signingKey, now: SystemClock().now())
        let (content, message) = RepositoryViews.indexed(report)
        return Report.print(content, message, of: "repository index", isJSON: options.isJSON)
    }

    static func showPaths(_ options: Options) -> ExitStatus {
        let configuration = try? ConfigurationFile.find(options.configurationFile)
        let data = try? DataFolder(explicit: options.dataFolder ?? configuration?.dataFolder)
        let content = InstallationViews.paths(.current, configuration: configuration?.path, data: data?.path)
        // Paths are not wrapped, so that they can be copied.
        return Report.print(content, nil, of: "paths", isJSON: options.isJSON, width: 10_000)
    }

    // MARK: - Backups

    private static func dataFolder(_ options: Options) throws -> DataFolder {
        if let folder = options.dataFolder { return try DataFolder(explicit: folder) }
        return try DataFolder(explicit: ConfigurationFile.find(options.configurationFile).dataFolder)
    }

    /// Writes a backup of the data folder, which a running host may use meanwhile.
    static func backUp(to file: String, _ options: Options) throws -> ExitStatus {
        let report = try Backup.write(
            dataFolder(options), to: file, version: HostVersion.current, now: SystemClock().now())
        let (content, message) = BackupViews.made(report)
        return Report.print(content, message, of: "backup", isJSON: options.isJSON)
    }

    /// Creates the data folder from a backup.
    static func restore(from file: String, _ options: Options) throws -> ExitStatus {
        let report = try Backup.restore(file, to: dataFolder(options), version: HostVersion.current)
        let (content, message) = BackupViews.restored(report)
        return Report.print(content, message, of: "restore", isJSON: options.isJSON)
    }

    /// Tries the modules of the request in a scratch folder, as the child process of a preflight.
    static func runPreflight(in folder: String) async throws -> ExitStatus {
        let data = try DataFolder(explicit: folder)
        CrashHandler.install(recordPath: data.path(PreflightChild.crashFile))
        let site = HostSite(environment: .mock, data: data, isTrial: true)
        var child = try PreflightChild(folder: folder, site: site)
        await child.run()
        return .done
    }

    private static func preflight(
        _ options: Options, _ data: DataFolder, hasFiles: Bool
    ) -> Preflight {
        let copySample: Preflight.SampleCopier = { module, folder in
            let file = "\(module).sqlite"
            try DatabaseCopy.sample(of: data.path(file), to: "\(folder)/\(file)", owner: module)
        }
        return Preflight(
            executable: HostExecutable.path, folder: data.path("modules/verdicts"),
            limit: options.preflightLimit,
            // Without data there is nothing to migrate.
            copySample: hasFiles ? copySample : nil)
    }
}

extension Host {
    /// The name of the machine.
    fileprivate static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        // A `CChar` may be negative.
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension ShellHost {
    /// This host as other hosts on the database see it.
    fileprivate func description(of folder: String, on machine: String, _ identity: String) -> SharedHost {
        SharedHost(
            identity: identity, name: String(folder.split(separator: "/").last ?? "atrium"),
            process: Int(getpid()),
            machine: machine,
            version: HostVersion.current,
            modules: runtime.modules.compactMap { module in
                module.current.map {
                    SharedHost.Module(
                        name: module.name, version: $0.version.description, generation: $0.number)
                }
            },
            scenes: scenes.count)
    }
}
