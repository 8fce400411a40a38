@_spi(Host) import AtriumKit
import AtriumManifest
import AtriumRuntime
import AtriumShell
import AtriumStorage
import Glibc
import MainQueue

/// The composition root: reads the options, wires the parts, runs, and exits.
@main @MainActor struct Atrium {
    static func main() {
        prepareProcess()
        let arguments = Array(CommandLine.arguments.dropFirst())
        // Forks, so it has to come before anything that starts a thread.
        let wantsSupervisor = (try? Options(arguments)).map { $0.isSupervised && $0.isInteractive } ?? false
        let start = wantsSupervisor ? Supervisor.start() : nil
        Task {
            let status = await run(arguments, start)
            CrashHandler.willExit()
            exit(status.rawValue)
        }
        MainQueue.run()
    }

    /// Files are private to their owner, and errors are reported that a signal would turn into a silent exit.
    private static func prepareProcess() {
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // Ctrl-\ ends the process, without the Swift runtime's handler, which is for its developers.
        signal(SIGQUIT, SIG_DFL)
        // A parent that starts us from a thread of Dispatch passes on a mask that blocks Ctrl-C.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    private static func run(_ arguments: [String], _ start: Supervisor.Start?) async -> ExitStatus {
        do {
            guard argumentsAreText else { throw ShellError.badArgument }
            let options = try Options(arguments)
            switch options.mode {
            case .help: return Report.print(Options.help)
            case .version:
                return Report.print("atrium \(HostVersion.current), AtriumKit \(SDKVersion.current)")
            case .preflight(let folder): return try await Host.runPreflight(in: folder)
            default: return try await Host.run(options, start)
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
}
