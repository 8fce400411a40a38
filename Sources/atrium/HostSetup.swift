import AtriumBackup
internal import AtriumCommands
@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumMCP
import AtriumManifest
import AtriumModules
import AtriumPrompt
import AtriumSession
import AtriumStorage
internal import AtriumText

/// The configuration and the data folder of a host that has not been made yet.
@MainActor
struct HostSetup {
    let options: Options
    let configuration: ConfigurationFile
    let environment: Environment
    let source: ScriptSource
    let data: DataFolder
    /// The copy that `data` is, of a host that changes nothing else; nil for most.
    let sandbox: Sandbox?
    let clock: any WallClock
    /// The version of Atrium that used the data folder before.
    let formerVersion: String?
    private(set) var problems: [any ExplainedError] = []

    init(_ options: Options) throws {
        self.options = options
        configuration = try ConfigurationFile.find(options.configurationFile)
        let configured = configuration.host.environment.flatMap { Environment(rawValue: $0) }
        environment = options.environment ?? configured ?? .local
        source = try options.source()
        for folder in options.developed { _ = try Development.package(at: folder) }
        if environment != .live, let file = options.httpRecording ?? options.httpReplay {
            throw ShellError(
                "unsupported",
                "Environment \(environment.rawValue) sends no requests to record or replay in '\(file)'.",
                hint: "Add: --env live", category: .usage)
        }
        clock = options.clock.map { StandingClock($0) } ?? SystemClock()
        let folder = try DataFolder(
            explicit: options.dataFolder ?? options.developed.first.map { "\($0)/.build/atrium" }
                ?? configuration.dataFolder)
        if options.mode == .copyDatabase { try DatabaseMove.check(folder.path) }
        if options.isSandbox { try Self.checkFiles(options, configuration, environment) }
        formerVersion = try FolderLock.checkFormat(of: folder)
        try folder.prepare()
        sandbox = options.isSandbox ? try Sandbox(of: folder) : nil
        data = sandbox?.data ?? folder
    }

    /// The source of ids: fixed together with the clock, but not where others store their ids too, on a database
    /// server or on a live server whose answers are not recorded.
    func ids(isAlone: Bool) -> IDSource {
        guard let time = options.clock, isAlone else { return .random }
        let isRecorded = (options.httpRecording ?? options.httpReplay) != nil
        return environment != .live || isRecorded ? FixedIDs.source(at: time, in: data) : .random
    }

    /// Checks that the data are in files: a sandbox copies no others.
    private static func checkFiles(
        _ options: Options, _ configuration: ConfigurationFile, _ environment: Environment
    ) throws {
        guard environment == .local,
            let url = try options.database.map({ try DatabaseURL($0) }) ?? configuration.database()
        else { return }
        throw ShellError(
            "unsupported", "A sandbox copies data in files only; the data of this host are in \(url.shown).",
            hint: "Copy that database with the programs of PostgreSQL, and use the copy: --database URL",
            category: .usage)
    }

    /// False for 'atrium lock', which can run beside a host: it changes nothing of the host's.
    var usesData: Bool { options.mode != .lock }

    /// From the options, else from the configuration.
    var logLevels: LogLevels {
        var levels = LogLevels()
        for (name, text) in configuration.host.log {
            guard let level = LogLevels.level(named: text) else { continue }
            if name == "*" { levels.standard = level } else { levels.modules[name] = level }
        }
        return options.logLevels ?? levels
    }

    /// True if the modules are not started, and no state is kept.
    var isTemporary: Bool { !options.activates || options.mode == .lock }

    /// Locks the data folder, or has the host that owns it do the work.
    ///
    /// - Returns: The exit status from the other host; nil if this process is the host.
    mutating func lockFolder() async throws -> ExitStatus? {
        guard usesData else { return nil }
        var found: [any ExplainedError] = []
        do {
            if let status = try await lock(report: { found.append($0) }) { return status }
        } catch let error as StorageError where error.code == .dataFolderInUse && options.mode == .verify {
            let other = error.hint.map { " \($0)" } ?? ""
            throw ShellError(
                error.code, error.message, hint: "Verify in that host: atrium -c verify.\(other)",
                cause: error, category: error.category)
        }
        let folders = ["modules", "modules/known", "modules/verdicts", "files", "libraries"]
        problems = try found + data.clearFolders(folders)
        Sandbox.removeLeftovers(in: data)
        if let completed = try Snapshots.complete(in: data) { problems.append(completed) }
        return nil
    }

    private func lock(report: (any ExplainedError) -> Void) async throws -> ExitStatus? {
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
                        client = try Self.frontEnd(of: data, options, source)
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
        if options.mode == .mcp {
            return try MCPRelay(to: data, options.permission ?? .reads, wanted: options.wantedOfHost)
        }
        return try HostClient(to: data).map {
            AttachedShell(to: $0, in: data, options: options, source: source)
        }
    }

    /// Carries out the options in the running host.
    static func attach(_ options: Options) async throws -> ExitStatus {
        let (data, source) = (try options.folder(), try options.source())
        guard let attached = try frontEnd(of: data, options, source), try await attached.begin() == .begun
        else { throw ShellError.noHost(data.path) }
        return try await attached.run()
    }
}
