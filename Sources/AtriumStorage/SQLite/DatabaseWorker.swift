internal import AtriumKit
internal import Glibc

/// Opens, migrates and closes a database, and runs closures in transactions.
///
/// Unchecked because the compiler can't see the gate that protects it.
final class DatabaseWorker: @unchecked Sendable {
    private let location: DatabaseLocation
    private let migrator: Migrator
    private let busyTimeout: Duration
    private var handle: SQLiteHandle?

    init(_ location: DatabaseLocation, migrator: Migrator, busyTimeout: Duration) {
        self.location = location
        self.migrator = migrator
        self.busyTimeout = busyTimeout
    }

    var isOpen: Bool { handle != nil }

    /// Runs the closure if it needs no lock and at most half a millisecond.
    ///
    /// - Returns: Nil if the closure has to run on the queue.
    func readBriefly<Value>(_ body: (any DatabaseConnection) throws -> Value) throws -> Value? {
        guard handle != nil else { return nil }
        let limit = CancellationFlag(checks: 25)
        do {
            return try run(.reading, limit, body)
        } catch  where limit.isCancelled {
            return nil
        }
    }

    /// Closes the file until its next use.
    func close() {
        handle?.close()
        handle = nil
    }

    func run<Value>(
        _ kind: SQLiteHandle.TransactionKind, _ cancellation: CancellationFlag,
        _ body: (any DatabaseConnection) throws -> Value
    ) throws -> Value {
        let handle = try openHandle(cancellation)
        handle.callbacks.cancellation = cancellation
        var isReusable = true
        defer {
            handle.callbacks.cancellation = nil
            if !isReusable { close() }
        }
        do {
            try handle.begin(kind)
            let connection = ScopedConnection(handle, kind, cancellation)
            defer { connection.end() }
            let value = try body(connection)
            // The closure may have caught the error that ended the transaction.
            try connection.requireTransaction()
            // Writes to a removed file would be lost.
            if kind == .writing, handle.isFileGone { throw DatabaseError.missing(at: location) }
            try handle.commit()
            if kind == .writing { handle.truncateLog() }
            return value
        } catch {
            let code = (error as? DatabaseError)?.code
            // The file may be replaced while the host runs.
            isReusable = handle.rollBack() && code != .databaseCorrupt && code != .databaseMissing
            if kind == .writing, isReusable {
                handle.truncateLog(largerThan: code == .diskFull ? 0 : SQLiteHandle.logLimit)
            }
            throw error
        }
    }

    private func openHandle(_ cancellation: CancellationFlag) throws -> SQLiteHandle {
        if let handle { return handle }
        let opened = try SQLiteHandle.open(location, busyTimeout: busyTimeout, cancellation: cancellation)
        do {
            try migrator.migrate(opened)
        } catch {
            opened.close()
            throw error
        }
        handle = opened
        return opened
    }
}

/// Lets one thread at a time use a connection.
///
/// Not a `Mutex`, which the thread sanitizer does not know.
///
/// Unchecked because only the lock's functions use its memory.
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

    func enter<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body()
    }

    /// Returns nil without waiting if another thread is inside.
    func enterIfFree<Result>(_ body: () throws -> Result) rethrows -> Result? {
        guard pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { pthread_mutex_unlock(lock) }
        return try body()
    }
}
