internal import CSQLite
internal import Glibc

/// What SQLite asks while it works for a connection.
///
/// Used by who holds the database's gate only, as SQLite calls back on the thread that called it.
final class ConnectionCallbacks {
    /// What the authorizer kept a statement from.
    enum Refusal {
        case transactionControl
        case attaching
    }

    /// The running job's; nil between jobs.
    var cancellation: CancellationFlag?
    /// Whether `BEGIN`, `COMMIT` and `ROLLBACK` are our own.
    var allowsTransactionControl = false
    /// Whether a lock of another connection is waited for.
    var waitsForLocks = true
    /// Why the last statement was not authorized.
    var refusal: Refusal?

    private let busyTimeout: Duration
    private var deadline = ContinuousClock.now

    init(busyTimeout: Duration) {
        self.busyTimeout = busyTimeout
    }

    /// Makes `connection` ask this object, which must live until the connection is closed.
    func install(on connection: OpaquePointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            connection, { ConnectionCallbacks.of($0).waitForLock(attempt: $1) ? 1 : 0 }, context)
        // A handler and not sqlite3_interrupt: SQLite forgets an interrupt that comes just before the first
        // step of a statement, and one that comes late would need a lock to miss the next job.
        sqlite3_progress_handler(
            connection, Self.instructionsBetweenLooks,
            { ConnectionCallbacks.of($0).cancellation?.look() == true ? 1 : 0 }, context)
        sqlite3_set_authorizer(
            connection,
            { context, action, _, _, _, _ in ConnectionCallbacks.of(context).authorize(action) }, context)
    }

    /// About 20 µs of SQLite's work, for less than a thousandth of it.
    private static let instructionsBetweenLooks: Int32 = 2000

    private static func of(_ context: UnsafeMutableRawPointer?) -> ConnectionCallbacks {
        Unmanaged<ConnectionCallbacks>.fromOpaque(context!).takeUnretainedValue()
    }

    /// Sleeps a little for another connection's lock to go away.
    ///
    /// - Returns: Whether to try again; false after the timeout, or when the job is cancelled.
    func waitForLock(attempt: Int32) -> Bool {
        guard waitsForLocks else { return false }
        if cancellation?.isBrief == true { cancellation?.cancel() }
        if attempt == 0 { deadline = .now + busyTimeout }
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero, cancellation?.isCancelled != true else { return false }
        Self.sleep(min(remaining, attempt < 10 ? .milliseconds(1) : .milliseconds(10)))
        return true
    }

    /// Blocks the thread.
    static func sleep(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        nanosleep(&time, nil)
    }

    private func authorize(_ action: Int32) -> Int32 {
        switch action {
        case SQLITE_TRANSACTION where !allowsTransactionControl: refusal = .transactionControl
        case SQLITE_ATTACH, SQLITE_DETACH: refusal = .attaching
        default: return SQLITE_OK
        }
        return SQLITE_DENY
    }
}
