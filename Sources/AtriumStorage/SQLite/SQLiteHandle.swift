internal import AtriumKit
internal import CSQLite

/// An open SQLite connection and the statements compiled for it.
///
/// Used by who holds the database's gate only.
final class SQLiteHandle {
    /// Whose database it is and where.
    let location: DatabaseLocation
    let callbacks: ConnectionCallbacks
    private let pointer: OpaquePointer
    private var cache = StatementCache(capacity: 64)
    /// Our own `BEGIN` and `COMMIT`, apart: a closure that gives the same text must not find them.
    private var controls = StatementCache(capacity: 4)

    /// Takes over an open connection.
    init(_ pointer: OpaquePointer, at location: DatabaseLocation, callbacks: ConnectionCallbacks) {
        self.pointer = pointer
        self.location = location
        self.callbacks = callbacks
        sqlite3_extended_result_codes(pointer, 1)
        callbacks.install(on: pointer)
    }

    /// Closes the connection, which must not be used again.
    ///
    /// The last connection to a file moves what is in the write-ahead log into it: 4 MB unless somebody
    /// reads for long.
    func close() {
        cache.removeAll()
        controls.removeAll()
        sqlite3_close_v2(pointer)
    }

    /// How many statements are kept compiled.
    var cachedStatementCount: Int { cache.count }

    /// Whether no transaction is open.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(pointer) != 0 }

    /// Whether the path leads to another file than the open one, or to none; costs one `stat`.
    var isFileGone: Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    /// How many rows the last `INSERT`, `UPDATE` or `DELETE` touched.
    var changes: Int { Int(sqlite3_changes64(pointer)) }

    /// How many rows were touched since the connection was opened.
    var totalChanges: Int { Int(sqlite3_total_changes64(pointer)) }

    /// The row id of the last insert.
    var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(pointer) }

    /// What SQLite reports about the call just made.
    func failure() -> SQLiteFailure {
        SQLiteFailure(
            resultCode: sqlite3_extended_errcode(pointer),
            words: String(cString: sqlite3_errmsg(pointer)),
            systemError: SystemError(number: sqlite3_system_errno(pointer)))
    }

    /// The error to throw for the call just made: the job's cancellation where that was the reason.
    func error(in sql: String? = nil) -> any Error {
        error(for: failure(), in: sql)
    }

    func error(for failure: SQLiteFailure, in sql: String? = nil) -> any Error {
        isCancellation(failure) ? CancellationError() : DatabaseError.sqlite(failure, at: location, sql: sql)
    }

    /// Whether the call stopped because its job was cancelled: while it worked, or waited for a lock.
    func isCancellation(_ failure: SQLiteFailure) -> Bool {
        let stops = failure.primaryCode == SQLITE_INTERRUPT || failure.primaryCode == SQLITE_BUSY
        return stops && callbacks.cancellation?.isCancelled == true
    }

    /// Moves what is in the write-ahead log into the file, as far as that can be done now.
    func checkpoint(_ mode: Int32) {
        sqlite3_wal_checkpoint_v2(pointer, "main", mode, nil, nil)
    }

    /// Runs any number of statements without arguments and without results.
    ///
    /// - Returns: What failed; nil where all have run.
    func run(_ sql: String) -> SQLiteFailure? {
        sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK ? nil : failure()
    }
}

// MARK: - Statements

extension SQLiteHandle {
    /// Takes the statement with this text out of the cache, or compiles it; give it back with ``release(_:)``.
    func statement(_ sql: String) throws -> PreparedStatement {
        if let statement = cache.take(sql) { return statement }
        let statement = PreparedStatement(try compile(sql), sql: sql)
        cache.insert(statement)
        return statement
    }

    /// Ends the use of a statement.
    func release(_ statement: PreparedStatement) {
        cache.release(statement)
    }

    /// Runs the statement until its next row.
    ///
    /// - Returns: Whether there is one.
    func step(_ statement: PreparedStatement) throws -> Bool {
        switch sqlite3_step(statement.pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error(in: statement.sql)
        }
    }

    private func compile(_ sql: String) throws -> OpaquePointer {
        var text = sql
        return try text.withUTF8 { bytes in
            try bytes.withMemoryRebound(to: CChar.self) { bytes in
                var rest = bytes[...]
                let first = try compileFirst(&rest, of: sql)
                guard let first else { throw DatabaseError.notOneStatement(sql, at: location) }
                do {
                    try requireNothing(in: &rest, of: sql)
                    return first
                } catch {
                    sqlite3_finalize(first)
                    throw error
                }
            }
        }
    }

    /// Blanks and comments may follow a statement; SQLite finds nothing to compile in them.
    private func requireNothing(in rest: inout Slice<UnsafeBufferPointer<CChar>>, of sql: String) throws {
        while !rest.isEmpty {
            let count = rest.count
            let next = try compileFirst(&rest, of: sql)
            sqlite3_finalize(next)
            // It stops at a NUL and would ignore the text behind it.
            guard next == nil, rest.count < count else {
                throw DatabaseError.notOneStatement(sql, at: location)
            }
        }
    }

    /// Compiles the first statement of `rest` and removes it from there; nil where there is none.
    private func compileFirst(
        _ rest: inout Slice<UnsafeBufferPointer<CChar>>, of sql: String
    ) throws -> OpaquePointer? {
        let bytes = UnsafeBufferPointer(rebasing: rest)
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
        var statement: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        callbacks.refusal = nil
        let code = sqlite3_prepare_v3(
            pointer, start, Int32(clamping: bytes.count), UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &tail
        )
        guard code == SQLITE_OK else { throw refusalError(of: sql) ?? error(in: sql) }
        if let tail { rest.removeFirst(tail - start) }
        return statement
    }

    private func refusalError(of sql: String) -> DatabaseError? {
        switch callbacks.refusal {
        case .transactionControl: .controlsTransaction(sql, at: location)
        case .attaching: .attaches(sql, at: location)
        case nil: nil
        }
    }
}

// MARK: - Transactions

extension SQLiteHandle {
    /// When a transaction takes its locks.
    enum TransactionKind: String {
        /// At its first statement, and those of a reader only.
        case reading = "BEGIN DEFERRED"
        /// At once, so that a transaction that has begun can't fail for a lock.
        case writing = "BEGIN IMMEDIATE"
    }

    /// Begins a transaction; waits for another process's lock.
    func begin(_ kind: TransactionKind) throws {
        try control(kind.rawValue)
    }

    /// Makes what was written durable; a cancellation comes too late from here on.
    func commit() throws {
        try finish("COMMIT")
    }

    /// Ends the transaction, if a failure has not ended it already, without a trace.
    ///
    /// - Returns: Whether no transaction is open now; a connection that fails here is of no more use.
    func rollBack() -> Bool {
        if !isOutsideTransaction { try? finish("ROLLBACK") }
        return isOutsideTransaction
    }

    /// Ends the transaction unseen by the progress handler, which could report a statement as interrupted
    /// that has done its work.
    private func finish(_ sql: String) throws {
        let cancellation = callbacks.cancellation
        callbacks.cancellation = nil
        defer { callbacks.cancellation = cancellation }
        try control(sql)
    }

    private func control(_ sql: String) throws {
        callbacks.allowsTransactionControl = true
        defer { callbacks.allowsTransactionControl = false }
        let statement = try controls.take(sql) ?? PreparedStatement(compile(sql), sql: sql)
        if !statement.isCached { controls.insert(statement) }
        defer { controls.release(statement) }
        _ = try step(statement)
    }
}
