@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumNavigation
import AtriumRuntime
import AtriumShell
import AtriumStorage
import Glibc

/// The composition root: reads the options, wires the parts, runs, and exits.
@main @MainActor
struct Atrium {
    static func main() {
        prepareProcess()
        Task { exit(await run(Array(CommandLine.arguments.dropFirst())).rawValue) }
        MainQueue.run()
    }

    /// Files are for their owner; what a signal would end silently is told as an error instead.
    private static func prepareProcess() {
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // Ctrl-\ ends the process; the handler that the Swift runtime has for it is for its developers.
        signal(SIGQUIT, SIG_DFL)
        // A parent that starts us from a thread of Dispatch passes on a mask that blocks Ctrl-C.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    private static func run(_ arguments: [String]) async -> ExitStatus {
        do {
            guard argumentsAreText else { throw InputError.badArgument }
            let options = try Options(arguments)
            switch options.mode {
            case .help: return Report.print(Options.help)
            case .version:
                return Report.print("atrium \(HostVersion.current), AtriumKit \(SDKVersion.current)")
            default: return try await start(options)
            }
        } catch {
            return Report.failure(error, isJSON: arguments.contains("--json"))
        }
    }

    /// Whether the arguments, which Swift would repair silently, are UTF-8.
    private static var argumentsAreText: Bool {
        (0..<Int(CommandLine.argc)).allSatisfy { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
        }
    }

    private static func start(_ options: Options) async throws -> ExitStatus {
        let configuration = try ConfigurationFile.find(options.configurationFile)
        let environment = options.environment ?? Environment(configuration.host.environment)
        guard environment != .live else { throw OptionError.liveUnavailable }
        let source = try options.source()
        let data = try DataFolder(explicit: options.dataFolder ?? configuration.dataFolder)
        try data.prepare()

        let site = HostSite(environment: environment, data: data)
        let files = StateFiles(data, environment: environment)
        let (navigation, problems) = files.restore()
        let runtime = ModuleRuntime(
            modules: configuration.modules, searchPaths: configuration.searchPaths,
            storeFolder: data.path("modules"), site: site)
        await runtime.start(activates: options.mode != .verify)

        let coordinator = Coordinator(container: site.container, screens: site.screens, state: navigation)
        let shell = Shell(
            host: ShellHost(
                coordinator: coordinator, screens: site.screens, runtime: runtime, environment: environment,
                keep: { try files.keep(coordinator, isUrgent: $0) }),
            source: source, isJSON: options.isJSON, allowsColor: options.allowsColor,
            keepsGoing: options.keepsGoing, historyFile: data.path("history"))
        shell.warn(options.mode == .verify ? problems : problems + runtime.problems)
        let status = await shell.run()
        await runtime.stop()
        await site.close()
        return status
    }
}
