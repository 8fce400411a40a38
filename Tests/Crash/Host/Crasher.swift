import AtriumCrash
import Glibc
import MainQueue

/// A small host for crash.py: loads the module Wrecker, and crashes as the lines of its input say.
@main @MainActor
struct Crasher {
    private typealias Crash = @convention(c) (UnsafePointer<CChar>) -> Void
    private typealias CrashLater = @convention(c) () -> Void

    static func main() {
        let arguments = CommandLine.arguments
        signal(SIGQUIT, SIG_DFL)
        let start = arguments.contains("--supervised") ? Supervisor.start() : nil
        CrashHandler.install(recordPath: arguments[1])
        let library = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
        guard let library, let entry = dlsym(library, "wrecker_crash") else { fatalError("No library.") }
        CrashHandler.add(imageAt: entry, module: "Wrecker", generation: 2, digest: "d1e5")
        if let start { tell(start) }
        let crash = unsafeBitCast(entry, to: Crash.self)
        if arguments.contains("--early") { crash("trap") }
        Task { await prompt(library, crash) }
        MainQueue.run()
    }

    private static func tell(_ start: Supervisor.Start) {
        if let record = start.previous { say(record.symbolicated().sentence) }
        say("restarts \(start.restarts), supervised \(start.isSupervised)")
    }

    private static func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        _ = write(1, line, line.count)
    }

    private static func prompt(_ library: UnsafeMutableRawPointer, _ crash: Crash) async {
        // Checks that the thread pool works in a forked child.
        await Task.detached {}.value
        Supervisor.ready()
        say("ready \(getpid())")
        while let line = readLine() {
            let activity =
                line == "update"
                ? CrashHandler.begin(activity: "the update of Wrecker")
                : CrashHandler.begin(command: line, in: nil, of: nil)
            run(line, library, crash)
            activity.end()
            say("did \(line)")
        }
        CrashHandler.willExit()
        exit(0)
    }

    private static func run(_ line: String, _ library: UnsafeMutableRawPointer, _ crash: Crash) {
        switch line {
        case "later": unsafeBitCast(dlsym(library, "wrecker_crash_later"), to: CrashLater.self)()
        case "hang":
            Thread.start(stopHanging)
            crash(line)
        case "record":
            (try? CrashRecord.read(CommandLine.arguments[1])).map { say($0.symbolicated().sentence) }
            CrashRecord.remove(CommandLine.arguments[1])
        case "update": crash("trap")
        case "together":
            _ = CrashHandler.begin(activity: "the update of Wrecker")
            _ = CrashHandler.begin(command: "entities", in: "watcher", of: nil)
            CrashHandler.begin(command: "where", in: nil, of: nil).end()
            crash("trap")
        case "host": fatalError("The host's own")
        case "raw":
            var mode = termios()
            tcgetattr(0, &mode)
            cfmakeraw(&mode)
            tcsetattr(0, TCSANOW, &mode)
            crash("trap")
        case "quit":
            CrashHandler.willExit()
            exit(7)
        default: crash(line)
        }
    }

    /// Waits for the hang in the library, then reports it.
    nonisolated private static let stopHanging: @convention(c) () -> Void = {
        guard let question = dlsym(dlopen(CommandLine.arguments[2], RTLD_NOW), "wrecker_hangs") else {
            return
        }
        let hangs = unsafeBitCast(question, to: (@convention(c) () -> Bool).self)
        while !hangs() { sched_yield() }
        CrashHandler.reportHang()
    }
}

/// A thread outside of the Swift runtime.
enum Thread {
    static func start(_ work: @escaping @convention(c) () -> Void) {
        var thread = pthread_t()
        let work = unsafeBitCast(work, to: UnsafeMutableRawPointer.self)
        pthread_create(
            &thread, nil,
            { work in
                unsafeBitCast(work, to: (@convention(c) () -> Void).self)()
                return nil
            }, work)
    }
}
