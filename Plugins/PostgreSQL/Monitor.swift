import Glibc

/// A lock with a condition to wait for.
///
/// Not a `Mutex`, which has no condition, and which the thread sanitizer does not know.
// architecture: allow unchecked-sendable, because only the functions of the lock use its memory
final class Monitor: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    func enter<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body()
    }

    /// Wakes all that wait; inside ``enter(_:)``.
    func signal() { pthread_cond_broadcast(condition) }

    /// Waits for a signal without the lock; inside ``enter(_:)``.
    func wait() { pthread_cond_wait(condition, lock) }

    /// Waits for a signal at most so long; inside ``enter(_:)``.
    func wait(_ limit: Duration) {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, attoseconds) = limit.components
        end.tv_nsec += Int(attoseconds / 1_000_000_000)
        end.tv_sec += Int(seconds) + end.tv_nsec / 1_000_000_000
        end.tv_nsec %= 1_000_000_000
        pthread_cond_timedwait(condition, lock, &end)
    }
}

/// Threads that end by themselves.
enum DetachedThread {
    /// Starts a thread without signals, which are for the main thread.
    ///
    /// - Returns: Zero, or an error number; then the thread does not run.
    static func start(_ body: @escaping @Sendable () -> Void) -> CInt {
        var (all, former) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let context = Unmanaged.passRetained(Body(run: body))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { context in
                pthread_setname_np(pthread_self(), "postgresql")
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        if error == 0 { pthread_detach(thread) } else { context.release() }
        return error
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}

extension Duration {
    var milliseconds: Int {
        Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}
