internal import CEditline
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Calls a handler on a queue when a signal arrives, instead of the default action; one source a signal.
final class SignalSource: Sendable {
    private let signal: Int32
    // Dispatch sources may be used from any thread; Dispatch on Linux does not say so to the compiler.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let isStopped = Atomic(false)

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

    /// Restores the signal's former disposition; the handler may still run for a signal that has arrived.
    func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        terminal_signals_unwatch(signal)
        source.cancel()
    }

    deinit { stop() }
}

/// Calls a handler on Ctrl-C while a command runs, instead of ending the process.
///
/// The handler runs on a private queue, also while the main thread is busy; it must not wait for the main actor.
package final class InterruptSource: Sendable {
    private let source: SignalSource?

    /// Takes SIGINT over until ``stop()``, unless the process was started with it ignored, as in the background.
    package init(handler: @escaping @Sendable () -> Void) {
        var current = sigaction()
        let isIgnored = sigaction(SIGINT, nil, &current) == 0 && current.isIgnoring
        guard !isIgnored else {
            source = nil
            return
        }
        let queue = DispatchQueue(label: "atrium.interrupt", qos: .userInteractive)
        source = SignalSource(signal: SIGINT, queue: queue, handler: handler)
    }

    package func stop() { source?.stop() }
}

extension sigaction {
    /// SIG_IGN is the pointer 1, which Swift does not import.
    fileprivate var isIgnoring: Bool { unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1 }
}
