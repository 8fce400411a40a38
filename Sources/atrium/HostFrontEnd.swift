import AtriumBackup
import AtriumCommands
import AtriumCrash
@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumMCP
import AtriumManifest
internal import AtriumModules
import AtriumNetworking
import AtriumPrompt
import AtriumRedirection
import AtriumServing
import AtriumSession
import AtriumStorage
internal import AtriumText
internal import AtriumViews
import MainQueue

/// The front end of a host in this process, and the server of those in others.
@MainActor
struct HostFrontEnd {
    let host: Host
    private let shellHost: ShellHost
    /// The prompt or script; nil for `serve` and `mcp`.
    private let shell: HostShell?
    private let server: SceneServer
    /// Waits for the end of a host without a front end.
    private let service = Service()

    var options: Options { host.setup.options }

    init(of host: Host) throws {
        self.host = host
        let (setup, files, changes) = (host.setup, host.files, host.changes)
        changes.resumeWatching()
        let shellHost = ShellHost(of: host)
        if let server = host.site.server { shellHost.join(server, of: host) }
        shell = host.mainState.map {
            HostShell(
                scene: shellHost.beginScene(Scene.main, state: $0), options: setup.options,
                source: setup.source, historyFile: setup.data.path("history"))
        }
        server = SceneServer(
            shellHost, in: setup.data, as: HostIdentity(of: host), drainLimit: setup.options.drainLimit,
            restore: { (name, report) throws(StorageError) in try files.restoreStack(of: name, report: report)
            }, forget: { try? files.forgetStack(of: $0) })
        server.servePrograms()
        self.shellHost = shellHost
        allowRestart()
    }

    /// Lets users restart the host, unless it ends with its script or program.
    private func allowRestart() {
        let isPrompt = options.isInteractive && shell != nil
        guard isPrompt || options.mode == .serve else { return }
        let restart = HostRestart(server) { [shell, service, server] in
            shell?.end(server)
            service.end()
        }
        shellHost.restart = { restart.begin(for: $0) }
        shellHost.lossesByRestart = lossesByRestart
    }

    /// Reports what went wrong before there was a front end.
    func report() {
        let found = options.mode == .verify ? [] : host.runtime.problems
        warn(host.problems + [host.crash].compactMap(\.self) + found)
        warn(host.runtime.takeEvents(.warning))
        for note in host.runtime.takeEvents(.note) { Report.note(note.message) }
    }

    private func warn(_ errors: [any ExplainedError]) {
        guard let shell else { return errors.forEach { Report.warning($0) } }
        shell.warn(errors)
    }

    /// Completes or discards the reset of a killed host whose data are on a database server.
    func settleReset() async {
        if let problem = await shellHost.snapshots?.settle() { warn([problem]) }
    }

    func run() async throws -> ExitStatus {
        guard let shell else {
            if options.mode == .mcp { return try await speakMCP() }
            return try await serve()
        }
        for folder in options.developed { try await shell.develop(folder) }
        if !host.setup.isTemporary {
            if options.isInteractive {
                shell.serve(server)
            } else {
                // Most scripts have ended by then.
                MainQueue.later = (.now + .milliseconds(100), { shell.serve(server) })
            }
        }
        defer { MainQueue.later = nil }
        return await shell.run()
    }

    func end() async {
        CrashHandler.willLeave()
        await server.stop()
        warn(host.changes.keepStates())
        warn(await host.runtime.stop())
        do { try host.site.live?.finishRecording() } catch { warn([ShellError.explain(error)]) }
        do {
            if let calls = try shellHost.endCallRecording() { Report.note(RecordingViews.ending(of: calls)) }
        } catch { warn([ShellError.explain(error)]) }
        await host.site.close()
        shellHost.removeSnippets()
        ModulePrints.settle()
    }

    /// Serves the program on standard input and output until it and all other clients have left.
    private func speakMCP() async throws -> ExitStatus {
        server.log = { Report.note($0) }
        do throws(ShellError) { try server.start() } catch { Report.warning(error) }
        StartJournal.ready()
        UserFile.reserveStandardInput()
        let sockets = try MCPRelay.pair()
        server.serve(sockets.host)
        let relay = MCPRelay(
            over: sockets.relay, options.permission ?? .reads, wanted: options.wantedOfHost)
        guard try await relay.begin() == .begun else { throw ShellError.noHost(server.address) }
        let signals = Task { [server, limit = options.drainLimit] in
            await Service().run(endingWithin: limit)
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
    private func serve() async throws -> ExitStatus {
        server.log = { Report.note($0) }
        shellHost.log = { Report.note($0) }
        try server.start()
        StartJournal.ready()
        await service.run(endingWithin: options.drainLimit) { [server] in
            Report.note("Serving \(server.address): 'atrium attach' opens a prompt, SIGTERM ends.")
        }
        Report.note(HostRestart.isWanted ? "Restarting." : "Ending.")
        server.stopRunning()
        return .done
    }
}

extension HostIdentity {
    @MainActor fileprivate init(of host: Host) {
        let (options, configuration) = (host.setup.options, host.setup.configuration)
        self.init(
            kind: options.mode == .serve || options.mode == .mcp
                ? .none : options.isInteractive ? .terminal : .script,
            environment: host.setup.environment,
            api: (options.api ?? configuration.api(authority: options.authority).url)?.text,
            configurationFile: configuration.path, database: host.database?.shown,
            authority: options.authority,
            startOptions: options.startOptions(onlyGiven: false), crash: host.crash)
    }
}

extension ShellHost {
    fileprivate convenience init(of host: Host) {
        let (site, files, changes, data) = (host.site, host.files, host.changes, host.setup.data)
        self.init(
            screens: site.screens, stacks: site.stacks, runtime: host.runtime, changes: changes,
            environment: host.setup.environment, mocks: site.mocks, calls: site.calls,
            apis: site.live?.forCommands ?? HostAPIs(), clock: site.clock)
        keep = { [unowned self] in try files.keep(scenes, changes, isUrgent: $0) }
        keptScenes = { [unowned self] in
            files.keptScenes { link in !scenes.contains { $0.name == link } }
        }
        historyFile = data.path("history")
        logFile = site.log
        files.sessionDidChange = { [weak self] in self?.sessionDidChange() }
        backUp = { try await Backup.writeInChild(data, to: $0) }
        isSandbox = host.setup.sandbox != nil
        if environment == .local {
            snapshots = makeSnapshots(of: host, host.setup.sandbox?.original)
            // Its copies lie in the sandbox.
            if isSandbox { undo = Undo(makeSnapshots(of: host, data)) }
        }
    }

    /// Describes the snapshots of a host, in the folder that it is a copy of, if any.
    private func makeSnapshots(of host: Host, _ original: DataFolder?) -> Snapshots {
        let (site, files, changes, setup) = (host.site, host.files, host.changes, host.setup)
        let snapshots = Snapshots(
            of: setup.data, original: original, host.runtime, version: HostVersion.current,
            clock: site.clock)
        snapshots.databases = { site.fileDatabases }
        if let server = site.server {
            snapshots.server = ServerCopies {
                server.database(of: ServerCopies.owner, ServerCopies.migrations)
            }
            snapshots.makeTables = { [runtime = host.runtime] in
                for module in runtime.modules.compactMap(\.current) where !module.migrations.isEmpty {
                    // A module that can't have tables there reports it when it uses its data.
                    try? await server.database(of: module.name, module.migrations).read { _ in }
                }
            }
        }
        snapshots.willCopy = { [unowned self] in
            _ = changes.keepStates()
            try files.keep(scenes, changes, isUrgent: true)
        }
        snapshots.didReset = { [unowned self] in
            let report = { (problem: any ExplainedError) in self.announce("warning: \(problem.message)") }
            files.reload(scenes, report: report)
            changes.reloadStates(report: report)
            site.renew()
            undo?.forget()
        }
        return snapshots
    }
}
