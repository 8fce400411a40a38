internal import Synchronization

/// The command that Ctrl-C cancels, reachable from the queue on which the signal arrives.
///
/// A Ctrl-C right behind Enter can arrive before the command has been started; it is remembered until then.
final class RunningCommand: Sendable {
    private struct State {
        var cancelCurrent: (@Sendable () -> Void)?
        var isInterrupted = false
    }

    private let state = Mutex(State())

    /// Forgets a Ctrl-C that came too late for the command before; called when a line is about to be read.
    func expectLine() {
        state.withLock { $0.isInterrupted = false }
    }

    func start(cancel: @escaping @Sendable () -> Void) {
        let isInterrupted = state.withLock { state in
            state.cancelCurrent = cancel
            return state.isInterrupted
        }
        if isInterrupted { cancel() }
    }

    func end() {
        state.withLock { $0 = State() }
    }

    /// Cancels the command, or the next one where none was started yet.
    func cancel() {
        let cancelCurrent = state.withLock { state in
            state.isInterrupted = true
            return state.cancelCurrent
        }
        cancelCurrent?()
    }
}
