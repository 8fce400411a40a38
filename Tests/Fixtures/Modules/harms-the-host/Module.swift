import AtriumKit
import Glibc
import Observation

/// Does what the variable `HARM` says, `STEP-FAULT` such as `register-spin`: in the host alone, not where it is
/// tried in a child process.
final class FixtureModule: FeatureModule {
    init() {
        harm(in: "create")
        atexit { harm(in: "exit") }
    }

    func register(in registry: ModuleRegistry) {
        harm(in: "register")
        registry.viewModel(StartViewModel.self) { _ in StartViewModel() }
        registry.screen(Start.self) { StartView(viewModel: try $0.viewModel()) }
        registry.contribute(to: .healthChecks) { _ in
            HealthCheck("harm") {
                harm(in: "check")
                return "It does none."
            }
        }
        registry.contribute(to: .guards) { _ in
            NavigationGuard("harmless", "The guard does no harm") { _ in
                if wantedHarm == "guard-wait" {
                    // Tells the test that the guard waits.
                    if let path = getenv("FIXTURE_BEGUN") { close(creat(path, 0o600)) }
                    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                }
                harm(in: "guard")
                return .allow
            }
        }
    }

    func activate(_ context: borrowing ActivationContext) async throws { harm(in: "activate") }
    func deactivate() async { harm(in: "deactivate") }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        harm(in: "snapshot")
        return try ModuleSnapshot(version: 1, StartViewModel.Saved())
    }

    func restore(_ snapshot: ModuleSnapshot) throws { harm(in: "restore") }
}

struct Start: Destination {
    static let pattern: LinkPattern = "harms-the-host"
    static let guards: [GuardName] = ["harmless"]
}

@Observable final class StartViewModel: ViewModel {
    var savedState: Saved {
        harm(in: "saved")
        return Saved()
    }

    func restore(_ state: Saved) {}

    struct Saved: Codable {
        /// As long as the variable `LENGTH` says.
        var text = String(repeating: "s", count: getenv("LENGTH").flatMap { Int(String(cString: $0)) } ?? 5)

        init() {}

        init(from decoder: any Decoder) throws { harm(in: "decode") }
    }
}

struct StartView: View {
    let viewModel: StartViewModel

    var body: Content {
        let _ = harm(in: "body")
        Title("Harms the host")
    }

    var actions: [Action] {
        let _ = harm(in: "actions")
        Action("go", "Do harm") {
            harm(in: "action")
            return .updated("It did none.")
        }
    }
}

/// Runs while the library is opened, before any of its symbols can be looked up.
@used @section(".init_array")
private let initialiser: @convention(c) () -> Void = fixtureInitialise

@c(fixture_initialise)
public func fixtureInitialise() { harm(in: "open") }

/// `STEP-FAULT`; nil if the variable is not set.
var wantedHarm: String? { getenv("HARM").map { String(cString: $0) } }

func harm(in step: String) {
    guard let wanted = wantedHarm, wanted.hasPrefix(step + "-"),
        !CommandLine.arguments.contains("--preflight")
    else { return }
    switch wanted.dropFirst(step.count + 1) {
    case "spin": while true {}
    case "sleep": while true { sleep(1_000) }
    case "close-all": for descriptor in 3..<256 as Range<CInt> { close(descriptor) }
    case "block":
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        while true {}
    case "read":
        var byte: UInt8 = 0
        _ = read(0, &byte, 1)
    case "fork": _ = callFork()
    case "leave": if callFork() != 0 { _exit(0) }
    case "quit": _exit(0)
    case "close": for descriptor: CInt in 0...2 { close(descriptor) }
    case "alarm": alarm(1)
    case "trap": fatalError("Harm.")
    case "kill": kill(getpid(), SIGKILL)
    case "term": kill(getpid(), SIGTERM)
    case "quick": quick_exit(0)
    // As a bare system call nothing sees it.
    case "vanish": _ = callSystem(62, getpid(), SIGKILL)
    // A while later, on a thread of the pool.
    case "recurse": Task.detached { _ = deepen(1) }
    case "quit-later": Task.detached { _exit(0) }
    case "kill-parent":
        kill(getppid(), SIGKILL)
        sleep(1)
    case "limit":
        var limit = rlimit(rlim_cur: 3, rlim_max: 3)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    default: fatalError("The fixture knows no harm '\(wanted)'.")
    }
}

/// Never ends; not a tail call.
func deepen(_ depth: Int) -> Int { depth < 0 ? 0 : deepen(depth + 1) + deepen(depth + 2) }

/// Swift imports no variadic functions.
private func callSystem(_ number: CLong, _ process: pid_t, _ signal: CInt) -> CLong {
    let call = unsafeBitCast(
        dlsym(nil, "syscall"), to: (@convention(c) (CLong, CLong, CLong) -> CLong).self)
    return call(number, CLong(process), CLong(signal))
}

/// Swift hides `fork`.
private func callFork() -> pid_t {
    let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
    return fork()
}
