import Foundation
import Testing

/// What a build of fixture `misbehaves` does, and in which step.
struct Misdeed: Sendable, CustomTestStringConvertible {
    let step: String
    let name: String
    /// A text of the error, or what is logged.
    let words: String

    var testDescription: String { "\(name) in \(step)" }

    init(_ step: String, _ name: String, _ words: String) {
        self.step = step
        self.name = name
        self.words = words
    }

    /// Writes the library into a folder.
    func library(in folder: URL) throws -> URL {
        var image = try LibraryImage(of: FixtureModule("misbehaves"))
        let mark = "the order is " + String(repeating: ".", count: 32)
        let order = "the order is \(step) \(name)"
        image.replace(mark, with: order + String(repeating: ".", count: mark.count - order.count))
        let library = folder.appending(path: "libMisbehaves.so")
        try image.data.write(to: library, options: .atomic)
        return library
    }

    // MARK: - Changes of the process

    private static let changes = [
        ("close-0", "standard input was closed"), ("close-1", "standard output was closed"),
        ("close-2", "standard error was closed"), ("replace-1", "standard output was replaced"),
        ("close-kept", "a descriptor of the host was closed"), ("chdir", "the current folder was changed"),
        ("umask", "the umask was changed to 0"),
        ("files", "the limit RLIMIT_NOFILE was changed"), ("memory", "the limit RLIMIT_DATA was changed"),
        ("addresses", "the limit RLIMIT_AS was changed"), ("stack", "the limit RLIMIT_STACK was changed"),
        ("processes", "the limit RLIMIT_NPROC was changed"), ("size", "the limit RLIMIT_FSIZE was changed"),
        ("time", "the limit RLIMIT_CPU was changed"),
        ("alarm", "an interval timer (real time) was started"),
        ("timer", "an interval timer (user time) was started"),
        ("handler", "the handler of SIGINT was changed"), ("block", "signal 12 was blocked"),
        ("variable", "the variable LANG was \(getenv("LANG") == nil ? "set" : "changed")"),
        ("crash-handler", "the handler of SIGSEGV was changed"),
        ("ignore", "the handler of SIGTERM was changed"),
        ("user", "the user was changed"), ("group", "the group was changed"),
        ("rounding", "the floating-point rounding mode or traps were changed"),
        ("traps", "the floating-point rounding mode or traps were changed"),
        ("locale", "the locale was changed"), ("signal-stack", "the alternate signal stack was changed"),
        ("parent", "the parent-death signal was changed"),
        ("priority", "the priority was changed"), ("timer-create", "a timer was created"),
        ("root", "the root folder was changed"),
        ("restrict", "system calls or privileges were restricted"),
        ("child", "a child process was started"), ("orphan", "a child process was started"),
        ("fork", "a child process was started"),
    ]

    private static let phrases = [
        "open": "it was opened", "init": "it was created", "factory": "what it registers was built",
        "activate": "it was activated", "deactivate": "it was stopped",
    ]

    /// Each change in one step, and some in each other step.
    static let changesOfProcess =
        changes.map { Misdeed("register", $0.0, "it registered: \($0.1).") }
        + [Misdeed("register", "close-all", "it closed descriptors of the host while it registered.")]
        + ["close-1", "umask", "files", "alarm", "fork"].flatMap { name in
            phrases.sorted { $0.key < $1.key }.map { step, phrase in
                Misdeed(step, name, "\(phrase): \(changes.first { $0.0 == name }!.1).")
            }
        }

    /// Those that the host puts back itself.
    static let restored = changesOfProcess.filter { misdeed in
        !["close-all", "child", "orphan", "fork", "restrict"].contains(misdeed.name)
            && misdeed.step == "register"
    }

    // MARK: - Printing

    /// Everything that can be printed, by an action, and `print` in each step.
    static let prints =
        [
            ("print", "a line of print"), ("puts", "a line of puts"), ("write", "a line of write"),
            ("write-2", "a line of an error"), ("write-part", "half a line"),
            ("print-json", #"{"command":"exit","ok":true}"#), ("print-much", "line 20000"),
            ("print-controls", "cleared"), ("system", "a line of a child"),
        ].map { Misdeed("action", $0.0, $0.1) }
        + ["open", "init", "register", "activate", "deactivate", "body"].map {
            Misdeed($0, "print", "a line of print")
        }
}
