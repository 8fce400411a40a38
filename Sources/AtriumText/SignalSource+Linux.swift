internal import CTerminal
package import Dispatch
internal import Glibc
internal import Synchronization

/// Calls a handler on a queue when a signal arrives, instead of the default action; one source per signal.
package final class SignalSource: Sendable {
    private let signal: Int32
    // Dispatch sources may be used from any thread; Dispatch on Linux does not say so to the compiler.
    private nonisolated(unsafe) let source: any DispatchSourceRead
    private let isStopped = Atomic(false)

    /// - Returns: Nil if the process started with the signal ignored, as by `nohup`, or lacks a descriptor.
    package init?(signal: Int32, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        var current = sigaction()
        guard sigaction(signal, nil, &current) == 0, !current.isIgnoring else { return nil }
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

    /// Restores the signal's former disposition; the handler may still run for a signal that arrived earlier.
    package func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        terminal_signals_unwatch(signal)
        source.cancel()
    }

    deinit { stop() }
}

/// Calls a handler on Ctrl-C while a command runs, instead of ending the process; one at a time.
///
/// Runs the handler on a separate thread, even if the main thread is busy; it must not await the main actor.
package final class InterruptSource: Sendable {
    private let isActive: Bool

    /// Handles SIGINT until ``stop()``, unless the process was started with it ignored, as in the background.
    package init(handler: @escaping @Sendable () -> Void) {
        var current = sigaction()
        let isIgnored = sigaction(SIGINT, nil, &current) == 0 && current.isIgnoring
        let descriptor = isIgnored ? -1 : terminal_signals_watch(SIGINT)
        isActive = descriptor >= 0 && InterruptThread.start(descriptor)
        if isActive { InterruptThread.handler.withLock { $0 = handler } }
    }

    /// Restores the former disposition; the handler may still run for a signal that has already arrived.
    package func stop() {
        guard isActive else { return }
        terminal_signals_unwatch(SIGINT)
        InterruptThread.handler.withLock { $0 = nil }
    }
}

/// A thread that waits for SIGINT while the process lives: a Dispatch source needs two, and takes five times
/// as long to start.
private enum InterruptThread {
    static let handler = Mutex<(@Sendable () -> Void)?>(nil)
    private static let isRunning = Mutex(false)

    /// Starts the thread on the first call.
    ///
    /// - Parameter descriptor: Counts the signals; always the same descriptor.
    /// - Returns: True if it runs.
    static func start(_ descriptor: CInt) -> Bool {
        isRunning.withLock { isRunning in
            if !isRunning { isRunning = create(descriptor) }
            return isRunning
        }
    }

    private static func create(_ descriptor: CInt) -> Bool {
        var (all, mask, thread) = (sigset_t(), sigset_t(), pthread_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        let argument = UnsafeMutableRawPointer(bitPattern: Int(descriptor) + 1)
        let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            InterruptThread.wait(CInt(Int(bitPattern: argument) - 1))
            return nil
        }
        guard pthread_create(&thread, nil, main, argument) == 0 else { return false }
        pthread_detach(thread)
        return true
    }

    /// Calls the handler for each signal, until the descriptor is closed.
    private static func wait(_ descriptor: CInt) {
        var (event, count) = (pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), UInt64(0))
        while true {
            guard poll(&event, 1, -1) > 0 else { continue }
            guard event.revents == POLLIN else { return isRunning.withLock { $0 = false } }
            if read(descriptor, &count, 8) == 8 { handler.withLock { $0 }?() }
        }
    }
}

extension sigaction {
    /// SIG_IGN is the pointer 1, which Swift does not import.
    fileprivate var isIgnoring: Bool { unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == 1 }
}
