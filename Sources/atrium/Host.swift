@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation
import AtriumRuntime
import AtriumShell
import AtriumStorage

@MainActor
enum Host {
    static func run(_ options: Options, _ start: Supervisor.Start?) async throws -> ExitStatus {
        let configuration = try ConfigurationFile.find(options.configurationFile)
        let environment = options.environment ?? Environment(configuration.host.environment)
        let source = try options.source()
        let data = try DataFolder(explicit: options.dataFolder ?? configuration.dataFolder)
        try data.prepare()
        let crash = start?.previous ?? CrashRecord.take(from: data.path("crash"))
        CrashHandler.install(recordPath: data.path("crash"))

        let site = HostSite(environment: environment, data: data)
        let files = StateFiles(data, environment: environment)
        var (navigation, problems) = files.restore()
        let runtime = ModuleRuntime(
            modules: configuration.modules, searchPaths: configuration.searchPaths,
            storeFolder: data.path("modules"), site: site,
            trust: options.mode == .lock ? nil : try configuration.trustPolicy(),
            // Verifying tries everything, in this process.
            preflight: options.mode == .verify || !options.triesModules ? nil : preflight(options, data),
            journal: Journal(path: data.path("events.jsonl")))
        if environment == .live {
            site.connect(to: LiveAPI(options, configuration.host.api, site: site, data: data, runtime))
        }
        runtime.readTrust = { try configuration.trustPolicy() }
        let changes = ModuleManager(
            runtime, installed: StateFile(path: data.path("installed.json"), isDurable: false),
            crashes: StateFile(path: data.path("crashes.json"), isDurable: false))
        changes.bisection = CrashBisection(
            executable: HostExecutable.path, data: data, environment: environment, runtime: runtime)
        problems += changes.restore(after: crash?.symbolicated())
        if options.mode == .lock { return try writeLock(runtime, configuration) }
        await runtime.start(activates: options.mode != .verify)

        changes.resumeWatching()
        let coordinator = Coordinator(container: site.container, screens: site.screens, state: navigation)
        site.coordinator = coordinator
        coordinator.mirror(in: .shared)
        let shell = Shell(
            host: ShellHost(
                coordinator: coordinator, screens: site.screens, runtime: runtime, changes: changes,
                environment: environment, mocks: site.mocks, api: site.live?.manager,
                keep: { try files.keep(coordinator, isUrgent: $0) }),
            options: options, source: source, historyFile: data.path("history"))
        if let crash { problems.append(CrashNotice(crash.symbolicated(), hint: changes.hint(after: crash))) }
        shell.warn(options.mode == .verify ? problems : problems + runtime.problems)
        let status = await shell.run()
        shell.warn(await runtime.stop())
        await site.close()
        return status
    }

    /// Writes modules.lock: the digests of the libraries as they are now.
    private static func writeLock(
        _ runtime: ModuleRuntime, _ configuration: ConfigurationFile
    ) throws -> ExitStatus {
        let lock = try runtime.lock()
        try lock.write(to: configuration.lockPath)
        let lines = lock.modules.sorted { $0.key < $1.key }.map { name, entry in
            "\(name) \(entry.version) \(entry.digest.prefix(16))…"
        }
        return Report.print((lines + ["Wrote \(configuration.lockPath)."]).joined(separator: "\n"))
    }

    /// Tries the modules of the request in a scratch folder, as the child process of a preflight.
    static func runPreflight(in folder: String) async throws -> ExitStatus {
        let data = try DataFolder(explicit: folder)
        CrashHandler.install(recordPath: data.path(PreflightChild.crashFile))
        let site = HostSite(environment: .mock, data: data)
        var child = try PreflightChild(folder: folder, site: site)
        await child.run()
        return .done
    }

    private static func preflight(_ options: Options, _ data: DataFolder) -> Preflight {
        Preflight(
            executable: HostExecutable.path, folder: data.path("modules/verdicts"),
            limit: options.preflightTimeout ?? .seconds(5))
    }
}
