package import AtriumText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signal that asked this process to end, and by which it ends after an orderly shutdown: its parent sees
/// a signal, not an exit code that looks like one.
package enum EndSignal {
    private static let noted = Mutex<CInt?>(nil)

    /// Records the signal; the first one counts.
    package static func note(_ signal: CInt) {
        noted.withLock { $0 = $0 ?? signal }
    }

    /// Records the signal and calls `end` on the main thread; ends the process if that is busy past `limit`.
    package static func take(
        _ signal: CInt, within limit: Duration, _ end: @escaping @MainActor @Sendable () -> Void
    ) {
        note(signal)
        expect(signal, within: limit, end)
    }

    /// Calls `end` on the main thread; ends the process by the signal if that is busy longer than `limit`.
    package static func expect(
        _ signal: CInt, within limit: Duration, _ end: @escaping @MainActor @Sendable () -> Void
    ) {
        let hasBegun = Mutex(false)
        DispatchQueue.main.async {
            hasBegun.withLock { $0 = true }
            MainActor.assumeIsolated { end() }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit / .seconds(1)) {
            if !hasBegun.withLock({ $0 }) { Self.end(by: signal) }
        }
    }

    /// Ends the process by the recorded signal, if `status` is due to it.
    package static func endIfNoted(_ status: ExitStatus) {
        guard let signal = noted.withLock({ $0 }) else { return }
        if signal == SIGINT, status != .cancelled { return }
        end(by: signal)
    }

    /// Ends the process at once, as is the signal's default.
    package static func end(by signal: CInt) -> Never {
        Terminal.restore()
        Glibc.signal(signal, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, signal)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        kill(getpid(), signal)
        // A signal does not end process 1 of a container.
        _exit(128 + signal)
    }
}
