internal import CCrash
internal import Glibc

/// Restores what a module changed in the process: standard descriptors, the working folder, the umask, variables
/// and blocked signals, and alarms and lowered limits, which would end the process later.
///
/// The preflight refuses a module that changes them; this handles one that does so in the host alone. Create
/// it once ``ModulePrints`` has begun: descriptors 1 and 2 are restored to its pipe.
@MainActor
package final class ProcessKeeper {
    private let state = SharedState()
    /// A copy of standard input; negative if there is none.
    private let input = fcntl(0, F_DUPFD_CLOEXEC, 3)
    private let folder = open(".", ProcessKeeper.openPath | O_DIRECTORY | O_CLOEXEC)
    /// O_PATH, which Swift does not import: the folder need not be readable.
    private static let openPath: CInt = 0o10_000_000

    private var limits = ProcessKeeper.limitNames.map { ProcessKeeper.limit($0.number) }
    private static let limitNames: [(number: UInt32, name: String)] = [
        (0, "RLIMIT_CPU"), (1, "RLIMIT_FSIZE"), (2, "RLIMIT_DATA"), (3, "RLIMIT_STACK"), (6, "RLIMIT_NPROC"),
        (7, "RLIMIT_NOFILE"),
        (9, "RLIMIT_AS"),
    ]

    private var fingerprint = SharedState.Fingerprint()

    package init() {}

    /// True if process state has changed; alarms and limits, slower to compare, are left out.
    var isChanged: Bool { SharedState.Fingerprint() != fingerprint }

    isolated deinit {
        for descriptor in [input, folder] where descriptor >= 0 { close(descriptor) }
    }

    /// Restores everything.
    ///
    /// - Returns: The differences, each as a clause.
    func restore() -> [String] {
        defer { fingerprint = SharedState.Fingerprint() }
        let changes = SharedState().changes(since: state)
        for change in changes {
            switch change {
            case .descriptor(0, _): if input >= 0 { dup2(input, 0) } else { close(0) }
            case .descriptor: ccrash_divert_again()
            case .folder: fchdir(folder)
            case .mask: umask(state.mask)
            case .variable(let name, let value?): setenv(name, value, 1)
            case .variable(let name, nil): unsetenv(name)
            case .blocked(let signal): Self.block(signal, SIG_UNBLOCK)
            case .unblocked(let signal): Self.block(signal, SIG_BLOCK)
            }
        }
        return changes.map(\.phrase) + cancelAlarm() + restoreLimits()
    }

    private static func block(_ signal: Int, _ how: CInt) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, CInt(signal))
        pthread_sigmask(how, &set, nil)
    }

    /// Cancels an alarm that has no handler.
    private func cancelAlarm() -> [String] {
        var (timer, none, action) = (itimerval(), itimerval(), sigaction())
        let real = __itimer_which_t(ITIMER_REAL.rawValue)
        getitimer(real, &timer)
        guard timer.it_value.tv_sec != 0 || timer.it_value.tv_usec != 0,
            sigaction(SIGALRM, nil, &action) == 0,
            unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 0
        else { return [] }
        setitimer(real, &none, nil)
        return ["an alarm was set, which would have ended the process"]
    }

    private static func limit(_ number: UInt32) -> rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(number), &limit)
        return limit
    }

    private func restoreLimits() -> [String] {
        var changes: [String] = []
        for (index, (number, name)) in Self.limitNames.enumerated() {
            let now = Self.limit(number)
            guard now.rlim_cur < limits[index].rlim_cur else { continue }
            let isRestored = setrlimit(__rlimit_resource_t(number), &limits[index]) == 0
            if !isRestored {
                // Only root may raise the hard limit again.
                limits[index] = rlimit(rlim_cur: now.rlim_max, rlim_max: now.rlim_max)
                setrlimit(__rlimit_resource_t(number), &limits[index])
            }
            changes.append(
                "\(name) was lowered to \(now.rlim_cur)\(isRestored ? "" : ", which can't be undone")")
        }
        return changes
    }
}
