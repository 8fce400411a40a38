internal import Glibc

/// A thread for work that blocks.
///
/// Dispatch would block its caller until the system has a thread for it.
package enum SystemThread {
    /// Enough for parsing the JSON of a message, 64 levels deep.
    private static let stackSize = 512 * 1024

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread; on the caller's if the system has none.
    ///
    /// A task would wait for a thread of Swift's pool, which modules may keep.
    package nonisolated(nonsending) static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedContinuation { continuation in
            let work: @Sendable () -> Void = { continuation.resume(returning: Result(catching: body)) }
            if !start(work) { work() }
        }.get()
    }

    /// Runs `body` on a new thread, which takes no signals.
    ///
    /// - Returns: False if the system has no thread for it; `body` does not run then.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        var (all, mask, thread, attributes) = (sigset_t(), sigset_t(), pthread_t(), pthread_attr_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let work = Unmanaged.passRetained(Work(body))
        let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
            guard let work else { return nil }
            Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
            return nil
        }
        if pthread_create(&thread, &attributes, main, work.toOpaque()) == 0 { return true }
        work.release()
        return false
    }
}
