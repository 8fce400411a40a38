@_spi(Host) internal import AtriumKit
internal import AtriumStorage
internal import CCrash
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A program in its own process group, with this process's variables and working folder, and empty input.
///
/// A thread waits for its exit, so it never stays a zombie, even without ``wait()``; the rest of its group is
/// killed then. Every function can be called from any thread, and none blocks.
package final class ChildProcess: Sendable {
    /// The id of the process and of its group.
    let processID: pid_t
    /// The lines of its standard output; nil if it is discarded.
    package let output: OutputLines?
    /// The lines of its standard error; nil unless it is separate.
    package let errors: OutputLines?
    private let pipes: [LinePipe]
    private let state = Mutex(State())

    private struct State {
        var reason: ExitReason?
        var waiting: [CheckedContinuation<ExitReason, Never>] = []
    }

    /// The destination of output and errors.
    package enum Output {
        /// Both are discarded.
        case nothing
        /// Output to ``output``; errors are discarded.
        case output
        /// Both to ``output``, in the order in which they are written.
        case joined
        /// Output to ``output``, errors to ``errors``.
        case separate
    }

    /// Starts a program by posix_spawn, which shares this process's memory with the child until the program
    /// runs (`CLONE_VFORK`): the cost does not grow with the host.
    ///
    /// `lastWords` end a line of output too: the program writes them without a line feed, and then waits.
    ///
    /// - Throws: ``ModuleError`` if it can't be run.
    package init(
        _ path: String, _ arguments: [String] = [], _ destination: Output = .nothing, lastWords: String = ""
    ) throws {
        do {
            var pipes: [LinePipe] = []
            defer { for pipe in pipes { pipe.closeChildEnd() } }
            if destination != .nothing { pipes.append(try LinePipe(lastWords)) }
            if destination == .separate { pipes.append(try LinePipe()) }
            let errors = destination == .output ? nil : pipes.last
            processID = try Self.spawn([path] + arguments, [nil, pipes.first?.childEnd, errors?.childEnd])
            self.pipes = pipes
            self.output = pipes.first.map(OutputLines.init)
            self.errors = destination == .separate ? OutputLines(pipe: pipes[1]) : nil
        } catch {
            throw ModuleError(
                "notStarted", "'\(path)' can't be run: \(error.reason).")
        }
        DispatchQueue(label: "atrium.child").async { self.waitOnThread() }
    }

    private typealias CloseFrom =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt

    /// Swift does not import it, and glibc before 2.34 does not have it.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
        unsafeBitCast($0, to: CloseFrom.self)
    }

    /// `standard` are the descriptors for standard input, output and error; nil is the null device.
    static func spawn(
        _ words: [String], _ standard: [CInt?], hasOwnGroup: Bool = true
    ) throws(SystemError) -> pid_t {
        // If SIGCHLD is ignored, as a parent may leave it, the status of the child is lost.
        ccrash_set_default_action(SIGCHLD)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }

        for (number, descriptor) in zip(CInt(0)..., standard) {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        // Includes descriptors that a library opened without FD_CLOEXEC.
        _ = closeFrom?(&actions, 3)

        // Signals ignored here would otherwise be ignored in the child. In its own group, Ctrl-C at the
        // terminal does not reach it.
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        if hasOwnGroup {
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let arguments = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        var none: UnsafeMutablePointer<CChar>?
        let failure = withUnsafeMutablePointer(to: &none) {
            posix_spawn(&process, words[0], &actions, &attributes, arguments, ProcessVariables.list ?? $0)
        }
        guard failure == 0 else { throw SystemError(number: failure) }
        return process
    }

    /// The two ends of a pipe, or what else `make` opens, moved above the standard descriptors, on which the child's
    /// are put: in a process without them, the ends would take their numbers.
    static func pipe(
        _ make: (UnsafeMutablePointer<CInt>) -> CInt = { Glibc.pipe($0) }
    ) throws(SystemError) -> [CInt] {
        var ends: [CInt] = [-1, -1]
        guard make(&ends) == 0 else { throw .current }
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        ends.forEach { close($0) }
        if moved.allSatisfy({ $0 >= 0 }) { return moved }
        moved.forEach { close($0) }
        throw SystemError(number: EMFILE)
    }

    /// Waits until the process has exited.
    ///
    /// Cancelling the caller ends the process, as ``end(grace:)`` does; the call then returns the reason.
    package nonisolated(nonsending) func wait() async -> ExitReason {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reason = state.withLock { state in
                    if state.reason == nil { state.waiting.append(continuation) }
                    return state.reason
                }
                if let reason { continuation.resume(returning: reason) }
            }
        } onCancel: {
            end()
        }
    }

    /// Asks the whole group to exit (SIGTERM), and kills it (SIGKILL) if the process is still running after
    /// `grace` seconds.
    ///
    /// A grace of zero kills it at once.
    package func end(grace: Int = 2) {
        guard grace > 0 else { return send(SIGKILL) }
        send(SIGTERM)
        // A stopped process handles the signal only when it continues.
        send(SIGCONT)
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(grace)) { [weak self] in
            self?.send(SIGKILL)
        }
    }

    private func send(_ signal: CInt) {
        // The number can't be reused before the process is reaped.
        state.withLock { if $0.reason == nil { kill(-processID, signal) } }
    }

    private func waitOnThread() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        send(SIGKILL)
        // A process that left the group may keep a pipe open.
        for pipe in pipes { pipe.shutDown() }
        let (reason, waiting) = state.withLock { state in
            var status: CInt = 0
            let reason = waitpid(processID, &status, 0) == processID ? ExitReason(status: status) : .lost
            state.reason = reason
            return (reason, state.waiting)
        }
        for continuation in waiting { continuation.resume(returning: reason) }
    }
}

/// A child's output, as lines without line endings; a line longer than 64 KiB is split.
///
/// Reading takes no thread of Swift's pool, which modules may keep. Cancelling the reader closes the pipe.
package struct OutputLines: AsyncSequence, AsyncIteratorProtocol, Sendable {
    fileprivate let pipe: LinePipe

    package func makeAsyncIterator() -> Self { self }

    package func next() async -> String? { await next(isolation: nil) }

    package func next(isolation: isolated (any Actor)?) async -> String? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pipe.queue.async { continuation.resume(returning: pipe.nextLine()) }
            }
        } onCancel: {
            pipe.shutDown()
        }
    }
}

/// The two ends of a child's output.
///
/// Socket pair instead of a pipe: reading can be shut down from this side, and data already written is still
/// read. Nothing is read ahead: a child that writes more than a socket holds waits for its reader.
private final class LinePipe: Sendable {
    let childEnd: CInt
    private let descriptor: CInt
    // Used on the queue only.
    private nonisolated(unsafe) let file: UnsafeMutablePointer<FILE>
    fileprivate let queue = DispatchQueue(label: "atrium.pipe")
    private static let longestLine = 64 * 1024
    private let lastWords: [UInt8]

    init(_ lastWords: String = "") throws(SystemError) {
        self.lastWords = Array(lastWords.utf8)
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        // architecture: allow direct-networking, because it connects this process and its child alone
        let ends = try ChildProcess.pipe { socketpair(AF_UNIX, kind, 0, $0) }
        guard let file = fdopen(ends[0], "r") else {
            ends.forEach { close($0) }
            throw SystemError(number: EMFILE)
        }
        self.file = file
        (descriptor, childEnd) = (ends[0], ends[1])
    }

    deinit { fclose(file) }

    func closeChildEnd() { close(childEnd) }

    /// Ends the lines after those already written.
    func shutDown() { shutdown(descriptor, CInt(SHUT_RD)) }

    fileprivate func nextLine() -> String? {
        guard lastWords.isEmpty else { return nextLineOrWords() }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.longestLine) { buffer in
            guard let start = fgets(buffer.baseAddress, CInt(buffer.count), file) else { return nil }
            var line = String(cString: start)
            if line.last?.isNewline == true { line.removeLast() }
            return line
        }
    }

    private func nextLineOrWords() -> String? {
        var line: [UInt8] = []
        while line.count < Self.longestLine - 1 {
            let next = getc(file)
            guard next != EOF else {
                if line.isEmpty { return nil }
                break
            }
            guard next != UInt8(ascii: "\n") else { break }
            line.append(UInt8(truncatingIfNeeded: next))
            if line.last == lastWords.last, line.suffix(lastWords.count).elementsEqual(lastWords) { break }
        }
        return String(decoding: line, as: UTF8.self)
    }
}

package enum ExitReason: Sendable, Hashable, CustomStringConvertible {
    /// It called `exit` or returned from its main function.
    case exited(status: CInt)
    case signaled(signal: CInt)
    /// Other code of this process reaped it, so the status is lost.
    case lost

    /// - Parameter status: The status from `waitpid`, in Linux's bit layout.
    init(status: CInt) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status: status >> 8 & 0xFF) : .signaled(signal: signal)
    }

    package var isSuccess: Bool { self == .exited(status: 0) }

    /// True if Ctrl-C ended it, or a program that it ran as a shell.
    package var isInterrupt: Bool {
        [.signaled(signal: SIGINT), .exited(status: 128 + SIGINT)].contains(self)
    }

    /// The rest of a sentence whose subject is the program: "ended with status 1".
    package var description: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .signaled(let signal): "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
        case .lost: "ended, and its status is not known"
        }
    }
}
