internal import CProcess
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A program running in a process group of its own.
///
/// Its end is observed by a descriptor of the process (`pidfd_open`): SIGCHLD stays as it is, no thread waits,
/// and the process never stays a zombie, even if nobody calls ``wait()``. What is left of its group when it
/// ends is killed. Every function can be called from any thread, and none blocks.
package final class ChildProcess: Sendable {
    /// Runs an action after a time, on any thread.
    package typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    /// The number of the process, and of its group.
    package let processID: CInt
    /// Its standard output; nil unless that is a pipe.
    package let output: ProcessOutput?
    /// Its standard error; nil unless that is a pipe of its own.
    package let errors: ProcessOutput?
    private let state = Mutex(State())
    private let schedule: Schedule

    /// Events of all children; must not be blocked.
    private static let events = DispatchQueue(label: "atrium.children", qos: .userInitiated)

    private struct State {
        var reason: ExitReason?
        /// Whether its descriptor is closed, so that waiting tasks can continue.
        var isOver = false
        var wasEnded = false
        var waiting: [CheckedContinuation<ExitReason, Never>] = []
    }

    /// Starts the program without blocking the caller's thread.
    ///
    /// - Throws: ``ModuleError`` if it can't be run.
    package static func start(_ program: Program) async throws -> ChildProcess {
        try ChildProcess(program)
    }

    /// Starts the program; blocks while the system maps it, a fraction of a millisecond.
    ///
    /// - Throws: ``ModuleError`` if it can't be run.
    package convenience init(_ program: Program) throws {
        try self.init(program, watchedBy: process_descriptor, schedule: Self.afterwards)
    }

    /// - Parameters:
    ///   - program: The program.
    ///   - watch: Opens a descriptor that becomes readable when a process ends, or returns -1.
    ///   - schedule: The clock of time limits.
    /// - Throws: ``ModuleError`` if it can't be run.
    init(_ program: Program, watchedBy watch: (pid_t) -> CInt, schedule: @escaping Schedule) throws {
        let pipes = try ChildPipes(program)
        processID = try Spawn.run(program, pipes)
        output = pipes.takeEnd(of: 1).map { ProcessOutput($0, on: Self.events) }
        errors = pipes.takeEnd(of: 2).map { ProcessOutput($0, on: Self.events) }
        self.schedule = schedule
        let descriptor = watch(processID)
        if descriptor >= 0 { observe(descriptor) } else { observeByThread() }
    }

    // MARK: - Waiting

    /// Waits until the process has ended and its descriptors are closed, except pipes that were not read to
    /// their end.
    ///
    /// Cancelling the caller ends the process, as ``end(grace:)`` does; the call then returns how it ended.
    package func wait() async -> ExitReason {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reason = state.withLock { state in
                    if state.isOver { return state.reason }
                    state.waiting.append(continuation)
                    return nil
                }
                if let reason { continuation.resume(returning: reason) }
            }
        } onCancel: {
            end()
        }
    }

    // MARK: - Ending

    /// Asks the whole group to end (SIGTERM), and kills it (SIGKILL) if the process still runs after `grace`.
    ///
    /// A grace of zero kills it at once.
    package func end(grace: Duration = .seconds(2)) {
        state.withLock { state in
            guard state.reason == nil else { return }
            state.wasEnded = true
            signal(grace == .zero ? SIGKILL : SIGTERM, state)
            // A stopped process handles the signal only when it continues.
            signal(SIGCONT, state)
        }
        guard grace > .zero else { return }
        schedule(grace) { [weak self] in self?.state.withLock { self?.signal(SIGKILL, $0) } }
    }

    /// Ends the process if it still runs after `limit`.
    package func end(after limit: Duration, grace: Duration = .seconds(2)) {
        schedule(limit) { [weak self] in self?.end(grace: grace) }
    }

    /// Whether ``end(grace:)`` was called before it ended; it may have ended by itself nevertheless.
    package var wasEnded: Bool { state.withLock(\.wasEnded) }

    /// Call it under the lock: as long as the process was not reaped, its number can't be another's.
    private func signal(_ number: CInt, _ state: borrowing State) {
        if state.reason == nil { kill(-processID, number) }
    }

    // MARK: - Events

    private func observe(_ descriptor: CInt) {
        // The handlers keep this object until the process has ended. Sources may be used from any thread,
        // which Dispatch on Linux does not declare.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: Self.events)
        source.setEventHandler { @Sendable in
            self.reap()
            source.cancel()
        }
        source.setCancelHandler { @Sendable in
            close(descriptor)
            self.resumeWaiting()
        }
        source.activate()
    }

    /// Waits on a thread, if the system has no descriptors of processes.
    private func observeByThread() {
        DispatchQueue(label: "atrium.child").async {
            var information = siginfo_t()
            while waitid(P_PID, id_t(self.processID), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            Self.events.async {
                self.reap()
                self.resumeWaiting()
            }
        }
    }

    /// Kills what is left of the group of the ended process, and reaps it; until then its number can't be
    /// another's.
    private func reap() {
        state.withLock { state in
            signal(SIGKILL, state)
            var status: CInt = 0
            var process: pid_t
            repeat { process = waitpid(processID, &status, 0) } while process < 0 && errno == EINTR
            state.reason = process == processID ? ExitReason(status: status) : .lost
        }
        output?.endWhenEmpty()
        errors?.endWhenEmpty()
    }

    private func resumeWaiting() {
        let (reason, waiting) = state.withLock { state in
            state.isOver = true
            defer { state.waiting = [] }
            return (state.reason ?? .lost, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: reason) }
    }

    private static let afterwards: Schedule = { time, action in
        let parts = time.components
        let nanoseconds = Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000)
        events.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: action)
    }
}

/// How a process ended.
package enum ExitReason: Sendable, Hashable {
    /// It called `exit` or returned from its main function.
    case exited(status: CInt)
    /// A signal ended it.
    case signaled(signal: CInt)
    /// Other code of this process reaped it, so that its status is lost.
    case lost

    /// Whether it exited with status 0.
    package var isSuccess: Bool { self == .exited(status: 0) }

    /// - Parameter status: The status that `waitpid` reports; the layout of its bits is Linux's.
    init(status: CInt) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status: status >> 8 & 0xFF) : .signaled(signal: signal)
    }
}

extension ExitReason: CustomStringConvertible {
    /// The rest of a sentence that begins with the program's name: "ended with status 1".
    package var description: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .signaled(let signal): "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
        case .lost: "ended, and its status is not known"
        }
    }
}
