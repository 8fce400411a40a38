@_spi(Host) internal import AtriumKit
internal import Glibc
internal import Synchronization

/// Opens, migrates and closes a database, and runs closures in transactions.
///
/// Unchecked because the compiler can't see the gate that protects the state.
final class DatabaseWorker: @unchecked Sendable {
    let location: DatabaseLocation
    private let migrator: Migrator
    private let busyTimeout: Duration
    private let didCommit: (@Sendable ([Announcement]) -> Void)?
    private var handle: SQLiteHandle?
    private var staging = Staging.none
    /// The number of `write` closures whose changes were committed.
    let commits = Atomic(0)

    /// True if the module is part of a change that is not published yet.
    private enum Staging {
        case none
        /// The first use migrates in a transaction that stays open.
        case waiting
        /// Migrated in the open transaction, in which closures run as savepoints.
        case migrated(from: Int)
        /// The transaction was lost, or the change was refused.
        case failed(any Error)
    }

    init(
        _ location: DatabaseLocation, migrator: Migrator, busyTimeout: Duration,
        didCommit: (@Sendable ([Announcement]) -> Void)?
    ) {
        self.location = location
        self.migrator = migrator
        self.busyTimeout = busyTimeout
        self.didCommit = didCommit
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
        if case .migrated = staging { staging = .failed(DatabaseError.discarded(of: location.owner)) }
    }

    // MARK: - Changes of the module

    /// Makes the migrations part of a change, until ``publish()`` or ``discard()``.
    func stage() { staging = .waiting }

    /// True if the migrations are part of a change.
    var isStaged: Bool { if case .none = staging { false } else { true } }

    /// True if a change of the modules may have a transaction open.
    var isInChange: Bool {
        switch staging {
        case .waiting, .migrated: true
        case .none, .failed: false
        }
    }

    /// Migrates the file in a transaction that stays open.
    ///
    /// - Returns: The version before; nil if nothing was missing.
    func prepare(_ cancellation: CancellationFlag) throws -> Int? {
        _ = try openHandle(cancellation)
        if case .migrated(let version) = staging { return version }
        return nil
    }

    /// Writes the data that ``publish()`` commits to the log, except for its last page.
    func flush() throws {
        if case .migrated = staging { try handle?.flush() }
    }

    /// Commits the change's writes to the database.
    func publish() throws {
        if case .failed(let error) = staging { throw error }
        if case .migrated = staging, let handle {
            do {
                try handle.commit()
                handle.truncateLog()
            } catch {
                discard()
                throw error
            }
        }
        staging = .none
    }

    /// Rolls back the change's writes permanently.
    func discard() {
        if let handle { _ = handle.rollBack() }
        close()
        staging = .failed(DatabaseError.discarded(of: location.owner))
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
        var isNested = false
        if case .migrated = staging { isNested = true }
        do {
            try handle.begin(kind, isNested: isNested)
            let connection = ScopedConnection(handle, kind, cancellation)
            defer { connection.end() }
            let value = try body(connection)
            // The closure may have caught the error that ended the transaction.
            try connection.requireTransaction()
            // Writes to a removed file would be lost.
            if kind == .writing, handle.isFileGone { throw DatabaseError.missing(at: location) }
            try handle.commit(isNested: isNested)
            if kind == .writing { commits.add(1, ordering: .releasing) }
            if kind == .writing, !isNested { handle.truncateLog() }
            if !connection.announcements.isEmpty { didCommit?(Announcement.merged(connection.announcements)) }
            return value
        } catch {
            let code = (error as? DatabaseError)?.code
            // The file may be replaced while the host runs.
            isReusable =
                handle.rollBack(isNested: isNested) && code != .databaseCorrupt && code != .databaseMissing
            if kind == .writing, isReusable, !isNested {
                handle.truncateLog(largerThan: code == .diskFull ? 0 : SQLiteHandle.logLimit)
            }
            throw error
        }
    }

    private func openHandle(_ cancellation: CancellationFlag) throws -> SQLiteHandle {
        if case .failed(let error) = staging { throw error }
        if let handle { return handle }
        if let fault = migrator.fault { throw fault }
        let opened = try SQLiteHandle.open(location, busyTimeout: busyTimeout, cancellation: cancellation)
        do {
            if case .waiting = staging {
                opened.callbacks.cancellation = cancellation
                defer { opened.callbacks.cancellation = nil }
                let version = try opened.version()
                if try migrator.begin(opened) { staging = .migrated(from: version) }
            } else {
                try migrator.migrate(opened)
            }
        } catch {
            opened.close()
            throw error
        }
        handle = opened
        return opened
    }
}

/// Admits one thread at a time to a connection.
///
/// Not a `Mutex`, which the thread sanitizer does not know. Unchecked because only the lock's functions use
/// its memory.
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
