internal import CEditline
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Runs a handler when a signal arrives, on a queue of one's choice, instead of the signal's default action.
///
/// One source a signal at a time. Signals that arrive before the handler ran are one call.
final class SignalSource: Sendable {
    private let signal: Int32
    // Dispatch sources may be used from any thread; Dispatch on Linux does not say so to the compiler.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let isStopped = Atomic(false)

    /// - Returns: nil where the system refuses to watch the signal.
    init?(signal: Int32, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        let descriptor = terminal_signals_watch(signal)
        guard descriptor >= 0 else { return nil }
        self.signal = signal
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { @Sendable in
            var count: UInt64 = 0
            guard read(descriptor, &count, 8) == 8 else { return }
            handler()
        }
        source.activate()
    }

    /// Gives the signal the disposition back that it had before.
    ///
    /// Once is enough. The handler may still run for a signal that has arrived already.
    func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        terminal_signals_unwatch(signal)
        source.cancel()
    }

    deinit {
        stop()
    }
}
