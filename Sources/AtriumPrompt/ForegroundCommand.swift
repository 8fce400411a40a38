internal import AtriumCrash
internal import AtriumText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The command that the user waits for, reachable from the queue on which Ctrl-C arrives.
///
/// Ctrl-C cancels the command. If it still runs a second later, that is reported. If it only waits, the next
/// Ctrl-C returns to the prompt and leaves it running; if it blocks the main actor, the next Ctrl-C ends the
/// host with a crash record, and the supervisor restarts it.
final class ForegroundCommand: Sendable {
    private static let patience = DispatchTimeInterval.seconds(1)

    private struct State {
        var cancel: (@Sendable () -> Void)?
        var abandon: (@Sendable () -> Void)?
        /// True if Ctrl-C arrived; right after Enter, it arrives before the command has started.
        var isInterrupted = false
        /// Numbers the probes of the main actor: answers to earlier ones are ignored.
        var probe = 0
        var isAnswered = true
        /// True if it was reported that the command still runs.
        var isReported = false
        /// True if another program has the terminal, which handles Ctrl-C itself.
        var isPaused = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "atrium.foreground-command")

    /// Forgets a Ctrl-C that arrived too late for the previous command; called before a line is read.
    func expectLine() { state.withLock { $0.isInterrupted = false } }

    /// Starts a command; `abandon` returns to the prompt without waiting for it.
    func start(cancel: @escaping @Sendable () -> Void, abandon: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            (state.cancel, state.abandon) = (cancel, abandon)
            return state.isInterrupted
        }
        if isInterrupted { cancel() }
    }

    func end() { state.withLock { $0 = State(probe: $0.probe + 1) } }

    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set { state.withLock { $0.isPaused = newValue } }
    }

    func interrupt() {
        let before = state.withLock { state in
            if !state.isPaused { state.isInterrupted = true }
            return state
        }
        guard !before.isPaused else { return }
        before.cancel?()
        guard let abandon = before.abandon else {
            // Code of a module that runs before a command, such as a screen's list of actions.
            if Watchdog.hasNamed { CrashHandler.reportHang() }
            return
        }
        guard before.isReported else { return probe() }
        if !before.isAnswered { CrashHandler.reportHang() }
        abandon()
    }

    /// Checks whether the main actor still responds, and reports a second later.
    private func probe() {
        let probe = state.withLock { state in
            state.probe += 1
            state.isAnswered = false
            return state.probe
        }
        DispatchQueue.main.async { [self] in state.withLock { if $0.probe == probe { $0.isAnswered = true } }
        }
        queue.asyncAfter(deadline: .now() + Self.patience) { [self] in report(probe) }
    }

    private func report(_ probe: Int) {
        let isAnswered: Bool? = state.withLock { state in
            guard state.probe == probe, state.abandon != nil else { return nil }
            state.isReported = true
            return state.isAnswered
        }
        guard let isAnswered else { return }
        let next = isAnswered ? "returns to the prompt and leaves it running." : "restarts the host."
        let text = Array("\nThe command ignores Ctrl-C; another \(next)\n".utf8)
        _ = write(HostOutput.standardError, text, text.count)
    }
}
