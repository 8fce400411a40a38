internal import CProcess
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A program running in a process group of its own.
///
/// It is waited for by a descriptor of the process (`pidfd_open`), so SIGCHLD stays what it was, no thread
/// waits, and the process is never left a zombie, whether or not anybody calls ``wait()``. Whatever of its
/// group is there when it ends is killed. Every function can be called from any thread and none blocks.
package final class ChildProcess: Sendable {
    /// Runs an action after a time, on any thread.
    package typealias Schedule = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    /// The number of the process, and of its group.
    package let processID: CInt
    /// What it reads; nil unless the program's input is a pipe.
    package let input: ProcessInput?
    /// What it writes; nil unless the program's output is a pipe.
    package let output: ProcessOutput?
    /// What it writes as errors; nil unless the program's errors are a pipe of their own.
    package let errors: ProcessOutput?
    private let state = Mutex(State())
    private let schedule: Schedule

    /// Events of all children; nothing on it blocks.
    private static let events = DispatchQueue(label: "atrium.children", qos: .userInitiated)

    private struct State {
        var reason: ExitReason?
        /// Whether its descriptor is closed, so that those who wait can be told.
        var isOver = false
        var wasEnded = false
        var waiting: [CheckedContinuation<ExitReason, Never>] = []
    }

    /// Starts the program on another thread than the caller's.
    ///
    /// - Throws: ``ModuleError`` where it can't be run; nothing is left of it then.
    package static func start(_ program: Program) async throws -> ChildProcess {
        try ChildProcess(program)
    }

    /// Starts the program; takes as long as the system needs to map it, a fraction of a millisecond.
    ///
    /// - Throws: ``ModuleError`` where it can't be run; nothing is left of it then.
    package convenience init(_ program: Program) throws {
        try self.init(program, watchedBy: process_descriptor, schedule: Self.afterwards)
    }

    /// - Parameters:
    ///   - program: What is run.
    ///   - watch: Makes the descriptor that tells the end of a process, or -1.
    ///   - schedule: The clock of time limits.
    /// - Throws: ``ModuleError`` where it can't be run.
    init(_ program: Program, watchedBy watch: (pid_t) -> CInt, schedule: @escaping Schedule) throws {
        let plumbing = try Plumbing(program)
        processID = try Spawn.run(program, plumbing)
        input = plumbing.takeEnd(of: 0).map(ProcessInput.init)
        output = plumbing.takeEnd(of: 1).map { ProcessOutput($0, on: Self.events) }
        errors = plumbing.takeEnd(of: 2).map { ProcessOutput($0, on: Self.events) }
        self.schedule = schedule
        let descriptor = watch(processID)
        if descriptor >= 0 { observe(descriptor) } else { observeByThread() }
    }

    // MARK: - Waiting

    /// Waits until the process has ended and everything that it held here is closed, except pipes that were
    /// not read to their end.
    ///
    /// Cancelling the caller ends the process, as ``end(grace:)`` does, and the call then returns how it
    /// ended.
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

    /// Asks the whole group to end (SIGTERM), and kills it (SIGKILL) if the process is still there after a
    /// time.
    ///
    /// - Parameter grace: The time it has to end by itself; zero kills it at once.
    package func end(grace: Duration = .seconds(2)) {
        state.withLock { state in
            guard state.reason == nil else { return }
            state.wasEnded = true
            signal(grace == .zero ? SIGKILL : SIGTERM, state)
            // One that was stopped takes the signal only when it goes on.
            signal(SIGCONT, state)
        }
        guard grace > .zero else { return }
        schedule(grace) { [weak self] in self?.state.withLock { self?.signal(SIGKILL, $0) } }
    }

    /// Ends the process if it is still there after a time.
    package func end(after limit: Duration, grace: Duration = .seconds(2)) {
        schedule(limit) { [weak self] in self?.end(grace: grace) }
    }

    /// Whether the process was told to end before it did; it may have ended by itself all the same.
    package var wasEnded: Bool { state.withLock(\.wasEnded) }

    /// Under the lock, where the process is known not to have been waited for: its number can't be another's
    /// yet.
    private func signal(_ number: CInt, _ state: borrowing State) {
        if state.reason == nil { kill(-processID, number) }
    }

    // MARK: - Events

    private func observe(_ descriptor: CInt) {
        // Keeps this object until the process has ended.
        // Dispatch sources may be used from any thread; Dispatch on Linux does not say so to the compiler.
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: Self.events)
        source.setEventHandler { @Sendable in
            self.reap()
            source.cancel()
        }
        source.setCancelHandler { @Sendable in
            close(descriptor)
            self.tell()
        }
        source.activate()
    }

    /// Where the system has no descriptors of processes: a thread waits.
    private func observeByThread() {
        DispatchQueue(label: "atrium.child").async {
            var information = siginfo_t()
            while waitid(P_PID, id_t(self.processID), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            Self.events.async {
                self.reap()
                self.tell()
            }
        }
    }

    /// The process has ended: kills what is left of its group, whose number nobody else can have as long as
    /// it was not waited for, and waits for it.
    private func reap() {
        state.withLock { state in
            signal(SIGKILL, state)
            var status: CInt = 0
            var process: pid_t
            repeat { process = waitpid(processID, &status, 0) } while process < 0 && errno == EINTR
            state.reason = process == processID ? ExitReason(status: status) : .lost
        }
        input?.close()
        output?.endWhenEmpty()
        errors?.endWhenEmpty()
    }

    private func tell() {
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
