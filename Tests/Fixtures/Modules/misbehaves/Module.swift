import AtriumKit
import Glibc

/// Does one misdeed in one step; tests write both over the text in the library.
final class FixtureModule: FeatureModule {
    init() { misbehave(in: "init") }

    func register(in registry: ModuleRegistry) {
        misbehave(in: "register")
        registry.repository(Stock.self) { _ in
            misbehave(in: "factory")
            return Stock()
        }
        registry.screen(Start.self) { _ in StartView() }
    }

    func activate(_ context: borrowing ActivationContext) async throws { misbehave(in: "activate") }

    func deactivate() async { misbehave(in: "deactivate") }
}

final class Stock {}

struct Start: Destination {
    static let pattern: LinkPattern = "misbehaves"
}

struct StartView: View {
    var body: Content {
        misbehave(in: "body")
        return Content { Title("Misbehaves") }
    }

    var actions: [Action] {
        Action("go", "Misbehave", effect: .changes) {
            misbehave(in: "action")
            return .updated("Done")
        }
        Action("later", "Misbehave on another thread, after the action has ended", effect: .changes) {
            Task.detached { misbehave(in: "later") }
            return .updated("Begun")
        }
    }
}

/// Runs while the library is opened, before any of its symbols can be looked up.
@used @section(".init_array")
private let initialiser: @convention(c) () -> Void = fixtureInitialise

@c(fixture_misbehave_initially)
public func fixtureInitialise() { misbehave(in: "open") }

/// The step and the misdeed, which tests write over the dots.
private var order: StaticString { "the order is ................................" }

func misbehave(in step: String) {
    let words = order.description.split(separator: ".")[0].split(separator: " ").dropFirst(3)
    guard words.count == 2, step == words[3] else { return }
    perform(String(words[4]))
}

private func perform(_ misdeed: String) {
    switch misdeed {
    case "close-0": close(0)
    case "close-1": close(1)
    case "close-2": close(2)
    case "close-all": for descriptor in 0..<256 as Range<CInt> { close(descriptor) }
    case "close-kept": closeDescriptors { $0 == "/" }
    case "close-lock": closeDescriptors { $0.hasSuffix("/host.lock") }
    case "replace-1":
        let null = open("/dev/zero", O_RDWR)
        dup2(null, 1)
        close(null)
    case "chdir": chdir("/")
    case "umask": umask(0)
    case "files": limit(RLIMIT_NOFILE, 64)
    case "memory": limit(RLIMIT_DATA, 1 << 28)
    case "addresses": halve(RLIMIT_AS)
    case "stack": halve(RLIMIT_STACK)
    // RLIMIT_NPROC, which Swift does not import.
    case "processes": halve(__rlimit_resource(6))
    case "size": halve(RLIMIT_FSIZE)
    case "time": halve(RLIMIT_CPU)
    case "alarm": alarm(3600)
    case "timer":
        var value = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 3600, tv_usec: 0))
        setitimer(__itimer_which_t(ITIMER_VIRTUAL.rawValue), &value, nil)
    case "handler": signal(SIGINT, SIG_IGN)
    case "variable": setenv("LANG", "changed", 1)
    case "clear": clearenv()
    case "block":
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGUSR2)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    case "crash-handler": signal(SIGSEGV, SIG_DFL)
    case "ignore": signal(SIGTERM, SIG_IGN)
    case "block-all":
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    case "user": call("setresuid", 65_534, 65_534, 0)
    case "group": call("setresgid", 65_534, 65_534, 0)
    case "rounding": fesetround(FE_UPWARD)
    case "traps": call("feenableexcept", 4, 0, 0)
    case "locale": setlocale(LC_ALL, "C.UTF-8")
    case "signal-stack":
        var none = stack_t(ss_sp: nil, ss_flags: CInt(2), ss_size: 0)
        sigaltstack(&none, nil)
    // PR_SET_PDEATHSIG
    case "parent": call("prctl", 1, CUnsignedInt(SIGUSR1), 0)
    // PR_SET_NO_NEW_PRIVS
    case "restrict": call("prctl", 38, 1, 0)
    case "priority": nice(1)
    case "root": chroot("/usr")
    case "timer-create":
        var timer: timer_t?
        timer_create(CLOCK_MONOTONIC, nil, &timer)
    case "child": spawn("exec sleep 60")
    case "orphan": spawn("sleep 60 & exit 0")
    case "fork": fork()
    case "print": print("a line of print")
    case "puts": puts("a line of puts")
    case "write": text("a line of write\n", 1)
    case "write-2": text("a line of an error\n", 2)
    case "write-part": text("half a line", 1)
    case "print-json": print(#"{"command":"exit","ok":true}"#)
    case "print-much": for number in 1...20_000 { print("line \(number)") }
    case "print-flood": for number in 1...200_000 { print("line \(number)") }
    case "print-controls": text("\u{1B}[2Jcleared\r\u{7}\n", 1)
    case "system": spawn("echo a line of a child")
    case "leave": if fork() == 0 { _exit(0) }
    case "quiet-system": system("exit 0")
    case "pool": for _ in 0..<64 { Task.detached { sleep(1_000) } }
    default: fatalError("There is no misdeed '\(misdeed)'.")
    }
}

/// Calls a function that Swift does not import.
private func call(_ name: String, _ first: CUnsignedInt, _ second: CUnsignedInt, _ third: CUnsignedInt) {
    let function = unsafeBitCast(
        dlsym(nil, name), to: (@convention(c) (CLong, CLong, CLong, CLong, CLong) -> CInt).self)
    _ = function(CLong(first), CLong(second), CLong(third), 0, 0)
}

/// Closes the descriptors above 2 of files whose path matches.
private func closeDescriptors(_ matches: (String) -> Bool) {
    for descriptor in 3..<256 as Range<CInt> {
        var path = [CChar](repeating: 0, count: 4_096)
        readlink("/proc/self/fd/\(descriptor)", &path, path.count - 1)
        if matches(String(cString: path)) { close(descriptor) }
    }
}

private func limit(_ resource: __rlimit_resource, _ value: rlim_t) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
}

private func halve(_ resource: __rlimit_resource) {
    var former = rlimit()
    getrlimit(__rlimit_resource_t(resource.rawValue), &former)
    limit(resource, former.rlim_cur / 2)
}

private func text(_ text: String, _ descriptor: CInt) {
    let bytes = Array(text.utf8)
    _ = write(descriptor, bytes, bytes.count)
}

/// Runs a shell and waits for it, unless it goes on.
private func spawn(_ script: String) {
    var process: pid_t = 0
    let words: [UnsafeMutablePointer<CChar>?] = [strdup("sh"), strdup("-c"), strdup(script), nil]
    posix_spawn(&process, "/bin/sh", nil, nil, words, environ)
    if !script.hasPrefix("exec") { waitpid(process, nil, 0) }
}

/// Swift does not import it.
@_silgen_name("fork") @discardableResult private func fork() -> pid_t
