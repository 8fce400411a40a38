@_spi(Host) import AtriumKit
import Glibc

/// Runs closures in transactions on a lane's connection; used on the lane's thread.
struct TransactionRunner {
    enum Kind { case reading, writing }

    let shared: SharedDatabase
    let lane: ConnectionPool.Lane
    let migrator: Migrator
    let cancellation: Cancellation
    let limits: Limits

    private var explainer: Explainer { migrator.explainer }
    private var pool: ConnectionPool { shared.pool }

    /// Runs the missing migrations; once more if the connection was lost, which the pool may not know yet.
    func migrate() throws {
        let isOld = lane.connection != nil
        do {
            try withConnection(migrate)
        } catch let error as DatabaseError where isOld && (error.cause as? ServerFailure)?.isLoss == true {
            try withConnection(migrate)
        }
    }

    private func migrate(_ connection: ServerConnection) throws {
        try shared.prepare(connection)
        try migrator.migrate(connection)
    }

    /// Begins a transaction, runs the missing migrations in it, and returns the version before.
    func beginMigrated() throws -> Int {
        try withConnection { connection in
            try shared.prepare(connection)
            return try migrator.begin(connection)
        }
    }

    /// Commits the transaction begun by ``beginMigrated()``.
    func commit() throws {
        guard let connection = lane.connection, connection.isAlive, connection.isInTransaction else {
            throw DatabaseError.transactionEnded(of: explainer.owner, by: nil)
        }
        do {
            var id: String?
            try retrying { id = try connection.run("SELECT pg_current_xact_id_if_assigned()").firstText }
            try commit(id, connection, announcing: lane.announcements)
        } catch let retry as Retry {
            throw explainer.error(retry.failure)
        }
    }

    /// Runs a closure in a transaction; again from its start if the server refuses it as a conflict, or if
    /// the connection is lost before the commit.
    func run<Value>(_ kind: Kind, _ body: (any DatabaseConnection) throws -> Value) throws -> Value {
        var (attempt, conflicts, others) = (1, 0, 0)
        var (isShort, detectsConflicts) = (true, false)
        while true {
            let start = ContinuousClock.now
            do {
                let isContended = kind == .writing && isShort && conflicts >= Self.mostConflicts
                return try withConnection {
                    try runOnce(
                        kind, $0, isContended: isContended, detectsConflicts: detectsConflicts, body)
                }
            } catch let retry as Retry where retry.failure.isUnchecked {
                detectsConflicts = true
            } catch let retry as Retry {
                if retry.failure.isConflict {
                    conflicts += 1
                    pool.countConflict()
                } else {
                    others += 1
                }
                if .now - start > .seconds(limits.keepingOut) { isShort = false }
                guard attempt < limits.attempts, others < 2 else {
                    throw retry.failure.isStale
                        ? retry.cause ?? explainer.error(retry.failure)
                        : explainer.error(retry.failure)
                }
                try cancellation.check()
                // A new connection for a long closure, so that it counts in other rows of the totals.
                let isLongConflict = retry.failure.isConflict && !isShort
                if retry.failure.isStale || isLongConflict || lane.connection?.isInTransaction == true {
                    lane.connection = nil
                }
                // A random backoff keeps two transactions from colliding again.
                usleep(UInt32.random(in: 0...UInt32(min(attempt * 2_000, 50_000))))
                attempt += 1
            }
        }
    }

    /// The number of conflicts after which a transaction locks other changes out: the loser of a conflict
    /// starts again later than the winner starts its next change, and would otherwise keep losing.
    ///
    /// A long transaction does not, and one that takes long while it does is undone: all others would wait.
    private static let mostConflicts = 3

    /// Runs a closure as a savepoint of the open transaction.
    func runNested<Value>(_ kind: Kind, _ body: (any DatabaseConnection) throws -> Value) throws -> Value {
        guard let connection = lane.connection, connection.isAlive, connection.isInTransaction else {
            throw DatabaseError.transactionEnded(of: explainer.owner, by: nil)
        }
        let mode = kind == .reading ? "; SET LOCAL transaction_read_only = on" : ""
        // Not cancellable: without the savepoint, only the whole change could be undone.
        try explained { try connection.run("SAVEPOINT closure\(mode)") }
        let transaction = ServerTransaction(
            connection, migrator, cancellation, isReading: kind == .reading)
        defer { transaction.end() }
        do {
            let value = try body(transaction)
            if let failure = transaction.failure {
                throw DatabaseError.transactionEnded(of: explainer.owner, by: failure)
            }
            // A read has changed nothing but the read-only mode.
            let end = kind == .reading ? "ROLLBACK TO SAVEPOINT closure; " : ""
            try explained { try connection.run("\(end)RELEASE SAVEPOINT closure") }
            if kind == .writing { lane.announcements += transaction.announcements }
            return value
        } catch {
            _ = try? connection.run("ROLLBACK TO SAVEPOINT closure; RELEASE SAVEPOINT closure")
            throw error
        }
    }

    /// The transaction did nothing, and may be run again.
    private struct Retry: Error {
        let failure: ServerFailure
        /// The closure's error; nil if the closure was not run.
        var cause: (any Error)?
    }

    private func runOnce<Value>(
        _ kind: Kind, _ connection: ServerConnection, isContended: Bool,
        detectsConflicts: Bool,
        _ body: (any DatabaseConnection) throws -> Value
    ) throws -> Value {
        try retrying {
            if isContended, try connection.beginAlone(in: migrator.schema, cancellation) { return }
            try connection.begin(in: migrator.schema, isReading: kind == .reading)
        }
        let isAlone = connection.isAlone
        let transaction = ServerTransaction(
            connection, migrator, cancellation, isReading: kind == .reading,
            insertsUnchecked: !detectsConflicts && !isAlone,
            deadline: isAlone ? .now + .seconds(limits.keepingOut) : nil)
        let value: Value
        do {
            defer { transaction.end() }
            #if DEBUG
                if kind == .writing, limits.repeatsWrites { try tryTwice(transaction, connection, body) }
            #endif
            value = try body(transaction)
            if let failure = transaction.failure {
                throw DatabaseError.transactionEnded(of: explainer.owner, by: failure)
            }
            try cancellation.check()
        } catch {
            connection.rollBack()
            guard let failure = transaction.failure else { throw error }
            if isAlone, failure.isCancelled, !cancellation.isCancelled {
                throw Retry(failure: .tooLongAlone, cause: error)
            }
            guard failure.mayBeRunAgain else { throw error }
            throw Retry(failure: failure, cause: error)
        }
        let announcements = kind == .reading ? [] : transaction.announcements
        // The transaction's id must be known before the commit.
        if !announcements.isEmpty { try retrying { try connection.beginNow(cancellation) } }
        try commit(connection.transactionID, connection, announcing: announcements)
        return value
    }

    #if DEBUG
        /// Runs a closure and undoes it, so that the run that counts is a repetition.
        ///
        /// In the same snapshot both do the same, unless the closure depends on changes it makes elsewhere.
        private func tryTwice<Value>(
            _ transaction: ServerTransaction, _ connection: ServerConnection,
            _ body: (any DatabaseConnection) throws -> Value
        ) throws {
            try retrying { try connection.run("SAVEPOINT trial", cancellation) }
            do { _ = try body(transaction) } catch { if transaction.failure != nil { throw error } }
            try retrying { try connection.run("ROLLBACK TO SAVEPOINT trial; RELEASE SAVEPOINT trial") }
            transaction.repeats()
        }
    #endif

    /// Commits the open transaction with its announcements.
    ///
    /// `id` is the transaction's, to ask for its outcome if the answer is lost; nil if it changed nothing.
    private func commit(
        _ id: String?, _ connection: ServerConnection, announcing announcements: [Announcement]
    ) throws {
        let told = Announcement.merged(announcements)
        do {
            try connection.commit(after: shared.changes.messages(told, connection))
        } catch let failure as ServerFailure where failure.isLoss {
            // Reads are only valid once committed.
            guard let id else { throw Retry(failure: failure) }
            try settle(id, of: connection.serverStart, failure)
        } catch let failure as ServerFailure {
            if connection.isInTransaction { connection.rollBack() }
            if failure.isConflict { throw Retry(failure: failure) }
            throw explainer.error(failure)
        }
        shared.committed(told)
    }

    /// Determines the outcome of a transaction on another connection.
    ///
    /// A crashed server reuses the ids of transactions that it has lost. So after a restart, an aborted
    /// transaction did nothing, but a committed one may be another.
    private func settle(_ id: String, of serverStart: String?, _ failure: ServerFailure) throws {
        let end = ContinuousClock.now + Self.patience
        while ContinuousClock.now < end {
            lane.connection = nil
            if let connection = try? pool.connection(of: lane),
                let result = try? connection.run("SELECT pg_xact_status('\(id)'::xid8)")
            {
                switch result.text(0, 0) {
                case "committed" where connection.serverStart == serverStart: return
                case "committed", nil: throw unknownOutcome(id, failure)
                case "aborted": throw Retry(failure: failure)
                default: break
                }
            }
            usleep(100_000)
        }
        throw unknownOutcome(id, failure)
    }

    /// The time limit for determining an outcome; the server is asked every tenth of a second.
    private static let patience = Duration.seconds(10)

    /// If it was committed after all, this host hears of it as the others do.
    private func unknownOutcome(_ id: String, _ failure: ServerFailure) -> any Error {
        shared.changes.unsettled.add(id)
        return explainer.unknownOutcome(failure)
    }

    private func withConnection<Value>(_ body: (ServerConnection) throws -> Value) throws -> Value {
        let connection: ServerConnection
        do {
            connection = try pool.connection(of: lane, cancellation)
        } catch let failure as ServerFailure {
            throw explainer.error(failure)
        }
        defer { if !connection.isAlive { lane.connection = nil } }
        return try body(connection)
    }

    private func retrying(_ body: () throws -> Void) throws {
        do { try body() } catch let failure as ServerFailure {
            guard failure.mayBeRunAgain else { throw explainer.error(failure) }
            throw Retry(failure: failure)
        }
    }

    private func explained(_ body: () throws -> Void) throws {
        do { try body() } catch let failure as ServerFailure { throw explainer.error(failure) }
    }
}
