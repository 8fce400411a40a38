internal import AtriumCrash
internal import AtriumLibraries
internal import Glibc

/// Process-wide state that a module's code can change for all others.
///
/// The preflight compares it after each step.
struct ProcessState {
    private let shared = SharedState()
    private let limits = (0..<16).map(Limit.init)
    /// The first is signal 1.
    private let handlers = (1...64).map(Handler.init)
    private let timers = [ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF].map(Self.isSet)
    /// True if there is a child process, running or ended but not reaped.
    private let hasChild = Self.hasChild

    private struct Limit: Equatable {
        var soft: rlim_t = 0
        var hard: rlim_t = 0

        init(_ resource: Int) {
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(UInt32(resource)), &limit)
            (soft, hard) = (limit.rlim_cur, limit.rlim_max)
        }
    }

    private struct Handler: Equatable {
        let address: UInt
        let flags: CInt

        init(_ signal: Int) {
            var action = sigaction()
            sigaction(CInt(signal), nil, &action)
            address = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
            flags = action.sa_flags
        }
    }

    private static func isSet(_ timer: __itimer_which) -> Bool {
        var value = itimerval()
        getitimer(__itimer_which_t(timer.rawValue), &value)
        return value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0
    }

    private static var hasChild: Bool {
        var information = siginfo_t()
        // Does not reap the child; fails if there is none.
        return waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0
    }

    /// The differences from an earlier state, each as a clause.
    func changes(since before: ProcessState) -> [String] {
        var changes = shared.changes(since: before.shared).map(\.phrase)
        for (number, limit) in limits.enumerated() where limit != before.limits[number] {
            changes.append("the limit \(Self.limitNames[number]) was changed")
        }
        for (index, handler) in handlers.enumerated() where handler != before.handlers[index] {
            changes.append("the handler of \(SignalName.of(CInt(index + 1))) was changed")
        }
        for (index, name) in ["real", "user", "profiling"].enumerated()
        where timers[index] && !before.timers[index] {
            changes.append("an interval timer (\(name) time) was started")
        }
        if hasChild && !before.hasChild { changes.append("a child process was started") }
        return changes
    }

    /// In the order of Linux's resource numbers, equal on x86-64 and aarch64.
    private static let limitNames = [
        "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_CORE", "RLIMIT_RSS",
        "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_MEMLOCK", "RLIMIT_AS", "RLIMIT_LOCKS", "RLIMIT_SIGPENDING",
        "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO", "RLIMIT_RTTIME",
    ]
}

/// The part that can be restored: standard descriptors, folder, umask, variables, and the blocked signals of the
/// calling thread.
struct SharedState {
    private let fingerprint = Fingerprint()
    private let environment = ProcessVariables.bytes

    /// A fingerprint that is cheap to compare after each action; setting a variable changes its address.
    struct Fingerprint: Equatable {
        private let input = FileIdentity { fstat(0, $0) }
        private let output = FileIdentity { fstat(1, $0) }
        private let errors = FileIdentity { fstat(2, $0) }
        fileprivate let folder = FileIdentity { stat(".", $0) }
        fileprivate let mask = SharedState.currentMask
        fileprivate let blocked = SharedState.blockedSignals
        fileprivate var files: [FileIdentity?] { [input, output, errors] }
        private let variables = ProcessVariables.fingerprint
    }

    var mask: mode_t { fingerprint.mask }

    fileprivate struct FileIdentity: Equatable {
        let device: dev_t
        let inode: ino_t

        init?(_ status: (UnsafeMutablePointer<stat>) -> CInt) {
            var found = stat()
            guard status(&found) == 0 else { return nil }
            (device, inode) = (found.st_dev, found.st_ino)
        }
    }

    enum Change: Equatable {
        case descriptor(CInt, isOpen: Bool)
        case folder
        case mask(mode_t)
        /// The value to restore; nil for a variable that was added.
        case variable(String, String?)
        case blocked(Int)
        case unblocked(Int)

        /// A clause in the past tense.
        var phrase: String {
            switch self {
            case .descriptor(let number, let isOpen):
                "\(["standard input", "standard output", "standard error"][Int(number)]) was "
                    + (isOpen ? "replaced" : "closed")
            case .folder: "the current folder was changed"
            case .mask(let mask): "the umask was changed to \(String(mask, radix: 8))"
            case .variable(let name, nil): "the variable \(name) was set"
            case .variable(let name, _): "the variable \(name) was changed"
            case .blocked(let signal): "\(SignalName.of(CInt(signal))) was blocked"
            case .unblocked(let signal): "\(SignalName.of(CInt(signal))) was unblocked"
            }
        }
    }

    /// The mask, which can only be read by setting it.
    private static var currentMask: mode_t {
        let mask = umask(0o077)
        if mask != 0o077 { umask(mask) }
        return mask
    }

    func changes(since before: SharedState) -> [Change] {
        let (files, folder, blocked) = (fingerprint.files, fingerprint.folder, fingerprint.blocked)
        let former = before.fingerprint
        var changes: [Change] = []
        for number in 0...2 where files[number] != former.files[number] {
            changes.append(.descriptor(CInt(number), isOpen: files[number] != nil))
        }
        if folder != former.folder { changes.append(.folder) }
        if mask != former.mask { changes.append(.mask(mask)) }
        if environment != before.environment {
            let (now, then) = (
                ProcessVariables.parse(environment), ProcessVariables.parse(before.environment)
            )
            for name in Set(now.keys).union(then.keys).sorted() where now[name] != then[name] {
                changes.append(.variable(name, then[name]))
            }
        }
        for signal in 1...64 where (blocked ^ former.blocked) & 1 << (signal - 1) != 0 {
            changes.append(blocked & 1 << (signal - 1) != 0 ? .blocked(signal) : .unblocked(signal))
        }
        return changes
    }

    /// A bit for each blocked signal; the lowest is signal 1.
    private static var blockedSignals: UInt64 {
        var set = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &set)
        return withUnsafeBytes(of: &set) { $0.load(as: UInt64.self) }
    }
}
