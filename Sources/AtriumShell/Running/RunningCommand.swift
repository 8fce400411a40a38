internal import Synchronization

/// The command that Ctrl-C cancels, reachable from the queue on which the signal arrives.
final class RunningCommand: Sendable {
    private let cancelCurrent = Mutex<(@Sendable () -> Void)?>(nil)

    func start(cancel: @escaping @Sendable () -> Void) {
        cancelCurrent.withLock { $0 = cancel }
    }

    func end() {
        cancelCurrent.withLock { $0 = nil }
    }

    /// Cancels the command; does nothing between commands.
    func cancel() {
        cancelCurrent.withLock { $0 }?()
    }
}
