internal import AtriumLibraries
internal import AtriumStorage
internal import CCrash
internal import Glibc

/// One thing that a process has and that a module's code can change for all others.
@MainActor
struct ProcessItem {
    typealias Value = SIMD2<UInt>

    /// Read after each action too, not only when modules are loaded: it takes less than a microsecond.
    private(set) var isQuick = false
    let read: () -> Value
    /// Describes a change as clauses in the past tense; empty if the change is harmless.
    let phrases: (_ former: Value, _ present: Value) -> [String]
    /// Sets the former value; does nothing if that is impossible.
    private(set) var restore: (Value) -> Void = { _ in }

    private init(
        _ phrase: String, isQuick: Bool = false, restore: @escaping (Value) -> Void = { _ in },
        _ read: @escaping () -> Value
    ) {
        (self.isQuick, self.read, self.restore) = (isQuick, read, restore)
        phrases = { _, _ in [phrase] }
    }

    private init(
        isQuick: Bool = false, restore: @escaping (Value) -> Void = { _ in }, _ read: @escaping () -> Value,
        phrases: @escaping (Value, Value) -> [String]
    ) {
        (self.isQuick, self.read, self.restore, self.phrases) = (isQuick, read, restore, phrases)
    }

    /// All items, in the order in which they are restored.
    static func all(_ origin: ProcessOrigin) -> [ProcessItem] {
        [
            users, groups, variables(origin), umask, blocked, floatingPoint, locale, alternateStack,
            parentDeath,
            root(origin), folder(origin), restrictions, processGroup, priority, timers,
        ]
            + (0...2).map { descriptor($0, origin) }
            + [
                kept("a descriptor of the host was closed") { origin.keptDescriptors },
                kept("the lock of the data folder was released") { [FolderLock.takenDescriptor] },
            ]
            + intervalTimers + limits + (1...64).map(action)
    }

    /// A child process, running or ended but not reaped; the host itself has some.
    static let child = ProcessItem {
        var information = siginfo_t()
        // Does not reap the child; fails if there is none.
        return [waitid(P_ALL, 0, &information, WEXITED | WNOHANG | WNOWAIT) == 0 ? 1 : 0, 0]
    } phrases: { former, _ in
        former.x == 0 ? ["a child process was started"] : []
    }

    /// The phrases, or one with their number.
    private static func few(_ phrases: [String], _ words: String) -> [String] {
        phrases.count > 4 ? ["\(phrases.count) \(words)"] : phrases
    }

    // MARK: - Files

    private static func identity(_ read: (UnsafeMutablePointer<stat>) -> CInt) -> Value {
        var status = stat()
        return read(&status) == 0 ? [status.st_dev, status.st_ino] : closed
    }
    private static let closed = Value(repeating: .max)

    private static func descriptor(_ number: CInt, _ origin: ProcessOrigin) -> ProcessItem {
        let name = ["standard input", "standard output", "standard error"][Int(number)]
        return ProcessItem(isQuick: true) { _ in
            origin.restoreDescriptor(number)
        } _: {
            identity { fstat(number, $0) }
        } phrases: { _, present in
            ["\(name) was \(present == closed ? "closed" : "replaced")"]
        }
    }

    /// Descriptors that none of the host's own code closes while modules run; reported once.
    ///
    /// All others come and go on threads of the host, so a change of them says nothing about a module.
    private static func kept(_ phrase: String, _ numbers: @escaping () -> [CInt]) -> ProcessItem {
        var isLost = false
        return ProcessItem { former in
            // Other files get their numbers; zero: there were none yet.
            isLost = former != .zero
        } _: {
            isLost
                ? .zero
                : numbers().filter { $0 > 2 }.reduce(into: .zero) { sum, number in
                    sum = sum &* 31 &+ identity { fstat(number, $0) }
                }
        } phrases: { former, present in
            former == .zero || present == .zero ? [] : [phrase]
        }
    }

    private static func folder(_ origin: ProcessOrigin) -> ProcessItem {
        ProcessItem("the current folder was changed", isQuick: true, restore: { _ in fchdir(origin.folder) })
        {
            identity { stat(".", $0) }
        }
    }

    private static func root(_ origin: ProcessOrigin) -> ProcessItem {
        ProcessItem(
            "the root folder was changed", isQuick: true,
            restore: { _ in
                fchdir(origin.root)
                chroot(".")
                fchdir(origin.folder)
            }
        ) { identity { stat("/", $0) } }
    }

    private static let umask = ProcessItem(isQuick: true) {
        Glibc.umask(mode_t($0.x))
    } _: {
        // It can only be read by setting it.
        let mask = Glibc.umask(0o077)
        if mask != 0o077 { Glibc.umask(mask) }
        return [UInt(mask), 0]
    } phrases: { _, present in
        ["the umask was changed to \(String(present.x, radix: 8))"]
    }

    // MARK: - The user

    private static let users = ids(ofGroups: false)
    private static let groups = ids(ofGroups: true)

    private static func ids(ofGroups: Bool) -> ProcessItem {
        ProcessItem(
            "the \(ofGroups ? "group" : "user") was changed", isQuick: true,
            restore: {
                ccrash_set_ids(ofGroups, UInt32(truncatingIfNeeded: $0.x), UInt32($0.x >> 32), UInt32($0.y))
            }
        ) {
            var (real, effective, saved): (UInt32, UInt32, UInt32) = (0, 0, 0)
            ccrash_get_ids(ofGroups, &real, &effective, &saved)
            return [UInt(real) | UInt(effective) << 32, UInt(saved)]
        }
    }

    private static let restrictions = ProcessItem("system calls or privileges were restricted") {
        [UInt(bitPattern: Int(ccrash_restrictions())), 0]
    }

    private static let processGroup = ProcessItem(
        "the process group was changed", restore: { setpgid(0, pid_t($0.x)) }
    ) { [UInt(getpgrp()), UInt(getsid(0))] }

    private static let own = __priority_which_t(PRIO_PROCESS.rawValue)
    private static let priority = ProcessItem(
        "the priority was changed", restore: { setpriority(own, 0, CInt(Int(bitPattern: $0.x))) }
    ) { [UInt(bitPattern: Int(getpriority(own, 0))), 0] }

    // MARK: - Variables and formats

    private static func variables(_ origin: ProcessOrigin) -> ProcessItem {
        ProcessItem(isQuick: true) { _ in
            for (name, value) in origin.changedVariables() {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
        } _: {
            [ProcessVariables.fingerprint, 0]
        } phrases: { _, _ in
            few(
                origin.changedVariables().map {
                    "the variable \($0.name) was \($0.value == nil ? "set" : "changed")"
                }, "variables were changed")
        }
    }

    private static let locale: ProcessItem = {
        let name = setlocale(LC_ALL, nil).map { String(cString: $0) }
        return ProcessItem("the locale was changed", isQuick: true) { former in
            setlocale(LC_ALL, name)
            uselocale(locale_t(bitPattern: former.y))
        } _: {
            var hash: UInt = 0
            var next = setlocale(LC_ALL, nil)
            while let character = next, character.pointee != 0 {
                hash = hash &* 31 &+ UInt(UInt8(bitPattern: character.pointee))
                next = character + 1
            }
            return [hash, UInt(bitPattern: uselocale(nil))]
        }
    }()

    private static let floatingPoint = ProcessItem(
        "the floating-point rounding mode or traps were changed", isQuick: true,
        restore: { ccrash_set_floating_point(UInt64($0.x)) }
    ) { [UInt(ccrash_floating_point()), 0] }

    // MARK: - Signals and timers

    private static let blocked = ProcessItem(isQuick: true) { former in
        var set = sigset_t()
        withUnsafeMutableBytes(of: &set) { $0.storeBytes(of: former.x, as: UInt.self) }
        pthread_sigmask(SIG_SETMASK, &set, nil)
    } _: {
        var set = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &set)
        return [withUnsafeBytes(of: &set) { $0.load(as: UInt.self) }, 0]
    } phrases: { former, present in
        let signals = (1...64).filter { (former.x ^ present.x) & 1 << ($0 - 1) != 0 }
        return few(
            signals.map { signal in
                let verb = present.x & 1 << (signal - 1) != 0 ? "blocked" : "unblocked"
                return "\(SignalName.of(CInt(signal))) was \(verb)"
            }, "signals were blocked or unblocked")
    }

    /// Signals that end the host, or report a crash, Ctrl-C, or the end of a child.
    private static let quickSignals: Set<CInt> = [
        SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGPIPE, SIGCHLD, SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE,
        SIGABRT, SIGTRAP,
    ]

    private static func action(of signal: CInt) -> ProcessItem {
        ProcessItem(
            "the handler of \(SignalName.of(signal)) was changed", isQuick: quickSignals.contains(signal),
            restore: { _ in ccrash_restore_action(signal) }
        ) { [ccrash_has_wanted_action(signal) ? 0 : 1, 0] }
    }

    private static let alternateStack = ProcessItem(
        "the alternate signal stack was changed", isQuick: true
    ) { former in
        var stack = stack_t()
        stack.ss_sp = UnsafeMutableRawPointer(bitPattern: former.x)
        (stack.ss_size, stack.ss_flags) = (Int(former.y >> 8), CInt(former.y & 0xFF))
        sigaltstack(&stack, nil)
    } _: {
        var stack = stack_t()
        sigaltstack(nil, &stack)
        return [
            UInt(bitPattern: stack.ss_sp), UInt(stack.ss_size) << 8 | UInt(stack.ss_flags & 0xFF),
        ]
    }

    private static let parentDeath = ProcessItem(
        "the parent-death signal was changed", isQuick: true,
        restore: { ccrash_set_parent_death(CInt($0.x)) }
    ) { [UInt(ccrash_parent_death()), 0] }

    private static let intervalTimers = [
        (ITIMER_REAL, "real"), (ITIMER_VIRTUAL, "user"), (ITIMER_PROF, "profiling"),
    ].map { timer, name in
        let kind = __itimer_which_t(timer.rawValue)
        return ProcessItem(isQuick: timer == ITIMER_REAL) { _ in
            var none = itimerval()
            setitimer(kind, &none, nil)
        } _: {
            var value = itimerval()
            getitimer(kind, &value)
            return [value.it_value.tv_sec != 0 || value.it_value.tv_usec != 0 ? 1 : 0, 0]
        } phrases: { _, present in
            present.x == 0 ? [] : ["an interval timer (\(name) time) was started"]
        }
    }

    /// Those of `timer_create`; the host has none.
    private static let timers = ProcessItem("a timer was created") { _ in
        for number in timerNumbers { ccrash_delete_timer(number) }
    } _: {
        [UInt(timerNumbers.count), 0]
    }

    private static var timerNumbers: [CInt] {
        guard let bytes = try? FileContents.read("/proc/self/timers") else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
            $0.hasPrefix("ID: ") ? CInt($0.dropFirst(4)) : nil
        }
    }

    // MARK: - Limits

    /// In the order of Linux's resource numbers, equal on x86-64 and aarch64.
    private static let limits = [
        "RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_CORE", "RLIMIT_RSS",
        "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_MEMLOCK", "RLIMIT_AS", "RLIMIT_LOCKS", "RLIMIT_SIGPENDING",
        "RLIMIT_MSGQUEUE", "RLIMIT_NICE", "RLIMIT_RTPRIO", "RLIMIT_RTTIME",
    ].enumerated().map { number, name in
        let resource = __rlimit_resource_t(UInt32(number))
        return ProcessItem { former in
            var limit = rlimit(rlim_cur: former.x, rlim_max: former.y)
            guard setrlimit(resource, &limit) != 0, getrlimit(resource, &limit) == 0 else { return }
            // Only root may raise the hard limit again.
            limit.rlim_cur = min(former.x, limit.rlim_max)
            setrlimit(resource, &limit)
        } _: {
            var limit = rlimit()
            getrlimit(resource, &limit)
            return [limit.rlim_cur, limit.rlim_max]
        } phrases: { former, present in
            // The host raises that of open files for a moment.
            present.x < former.x || present.y < former.y ? ["the limit \(name) was changed"] : []
        }
    }
}
