internal import AtriumKit

/// What a database does behind its gate: opens, migrates, runs closures inside transactions, closes.
///
/// Unchecked because the compiler can't see the gate: everything but the constants is touched by who holds it.
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

    /// How many statements are kept compiled.
    var cachedStatementCount: Int { handle?.cachedStatementCount ?? 0 }

    /// Runs the closure on one state of the database.
    func read<Value>(
        _ cancellation: CancellationFlag, _ body: (any DatabaseConnection) throws -> Value
    ) throws -> Value {
        try inTransaction(.reading, cancellation, body)
    }

    /// Runs the closure if that takes no waiting and little work: at most half a millisecond of SQLite's.
    ///
    /// - Returns: Nil where the closure has to be run again with time.
    func readBriefly<Value>(_ body: (any DatabaseConnection) throws -> Value) throws -> Value? {
        guard handle != nil else { return nil }
        let limit = CancellationFlag(looks: 25)
        do {
            return try inTransaction(.reading, limit, body)
        } catch  where limit.isCancelled {
            return nil
        }
    }

    /// Runs the closure, then commits; rolls back where either throws.
    func write<Value>(
        _ cancellation: CancellationFlag, _ body: (any DatabaseConnection) throws -> Value
    ) throws -> Value {
        try inTransaction(.writing, cancellation, body)
    }

    /// Closes the file; it opens again when it is next used.
    func close() {
        handle?.close()
        handle = nil
    }

    private func inTransaction<Value>(
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
            // The closure may have caught what ended the transaction, or what cancelled it.
            try connection.requireTransaction()
            // What is written to a file that nobody can open again is lost.
            if kind == .writing, handle.isFileGone { throw DatabaseError.missing(at: location) }
            try handle.commit()
            if kind == .writing { handle.shortenLog() }
            return value
        } catch {
            isReusable = handle.rollBack() && !Self.needsOpening(after: error)
            if kind == .writing, isReusable { handle.shortenLog(isDiskFull: Self.isFull(error)) }
            throw error
        }
    }

    /// Whether the path may lead to another file next time: a damaged one may be put right while we run.
    private static func needsOpening(after error: any Error) -> Bool {
        let code = (error as? DatabaseError)?.code
        return code == .databaseCorrupt || code == .databaseMissing
    }

    private static func isFull(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.code == .diskFull
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
