internal import Glibc

/// Lets one thread at a time to a connection.
///
/// A lock of the system and not `Mutex`, because the thread sanitizer knows it: what the gate protects is checked
/// by running the tests with `--sanitize=thread`, which takes a correct use of `Mutex` for a race.
///
/// Unchecked because the compiler can't see that the lock's memory is used by its functions only.
final class Gate: @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        lock = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    /// Waits until nobody else is inside.
    func enter<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body()
    }

    /// Runs `body` if nobody else is inside, without waiting; nil else.
    func enterIfFree<Result>(_ body: () throws -> Result) rethrows -> Result? {
        guard pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { pthread_mutex_unlock(lock) }
        return try body()
    }
}
