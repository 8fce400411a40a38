import AtriumCrash
import AtriumLibraries
import AtriumManifest
import AtriumModules
import AtriumPrompt
import AtriumSession
internal import AtriumText
import AtriumTranscripts
import Glibc
import MainQueue

/// The composition root: reads the options, wires the parts, runs, and exits.
@main @MainActor struct Atrium {
    static func main() {
        prepareProcess()
        let arguments = Array(CommandLine.arguments.dropFirst())
        checkLimits(arguments)
        // Forks, so it has to come before anything that starts a thread.
        let wantsSupervisor = (try? Options(arguments)).map { $0.isSupervised && $0.isInteractive } ?? false
        let start = wantsSupervisor || getpid() == 1 ? Supervisor.start(restarts: wantsSupervisor) : nil
        Task {
            let status = await run(arguments, start)
            CrashHandler.willExit()
            EndSignal.endIfNoted(status)
            if HostRestart.isWanted { Supervisor.startAgain() }
            exit(status.rawValue)
        }
        MainQueue.run()
    }

    /// Makes new files private to their owner; reports errors that a signal would turn into a silent exit.
    private static func prepareProcess() {
        openStandardDescriptors()
        UserMask.value = umask(0o077)
        Supervisor.prepareRestart(HostExecutable.path)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // Ctrl-\ ends the process, without the Swift runtime's handler, which is for its developers.
        signal(SIGQUIT, SIG_DFL)
        // A parent that starts us from a thread of Dispatch passes on a mask that blocks Ctrl-C.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    /// Exits if the system's limits are too low; a trial inherits those of its host.
    private static func checkLimits(_ arguments: [String]) {
        guard !arguments.contains("--preflight") else { return }
        do throws(ShellError) {
            try ProcessLimits.check()
        } catch {
            exit(Report.failure(error, isJSON: arguments.contains("--json")).rawValue)
        }
    }

    /// Opens closed standard descriptors on the null device.
    ///
    /// Otherwise new files would take their numbers, and receive what is printed. Children inherit them.
    /// Standard output is opened read-only, so that printing a result fails, as on a closed descriptor.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // Takes the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    private static func run(_ arguments: [String], _ start: Supervisor.Start?) async -> ExitStatus {
        do {
            guard argumentsAreText else { throw ShellError.badArgument }
            await ProcessLimits.prepareDispatch()
            let options = try Options(arguments)
            try options.checkFolder()
            switch options.mode {
            case .help: return Report.print(OptionTexts.help, of: "help", isJSON: options.isJSON)
            case .manual: return Report.print(OptionTexts.manual, of: "manual", isJSON: false)
            case .complete(let words):
                return Report.print(OptionTexts.completions(after: words), of: "complete", isJSON: false)
            case .version:
                return Report.print(
                    "atrium \(HostVersion.current), AtriumKit \(SDKVersion.current)", of: "version",
                    isJSON: options.isJSON)
            case .preflight(let folder): return try await HostTasks.runPreflight(in: folder)
            case .sourceKit(let file): return try HostTasks.runSourceKit(file)
            case .backup(let file): return try HostTasks.backUp(to: file, options)
            case .restore(let file): return try HostTasks.restore(from: file, options)
            case .new(let name):
                // Sources are not private, unlike data.
                umask(UserMask.value)
                return try HostTasks.makePackage(name, options)
            case .indexRepository(let folder):
                // Other users' hosts read it.
                umask(UserMask.value)
                return try HostTasks.indexRepository(folder, options)
            case .develop where options.debugs:
                umask(UserMask.value)
                try await Debugger.start(arguments.filter { $0 != "--debug" }) { Report.note($0) }
            case .verify:
                guard let path = options.candidate else { return try await Host.run(options, start) }
                return try await ModuleVerification.run(path, options)
            case .paths: return HostTasks.showPaths(options)
            case .documents: return try HostTasks.showDocuments(options)
            case .test(let paths):
                umask(UserMask.value)
                return try await TranscriptRun.run(paths, options)
            case .play(let file):
                umask(UserMask.value)
                return try await Play.run(file, options)
            case .record(let file):
                umask(UserMask.value)
                return try await TranscriptRecording.run(file, options)
            default: return try await Host.run(options, start)
            }
        } catch {
            return Report.failure(error, isJSON: arguments.contains("--json"))
        }
    }

    /// True if the arguments, which Swift would repair silently, are UTF-8.
    private static var argumentsAreText: Bool {
        (0..<Int(CommandLine.argc)).allSatisfy { index in
            CommandLine.unsafeArgv[index].map { String(validatingCString: $0) != nil } ?? true
        }
    }
}
