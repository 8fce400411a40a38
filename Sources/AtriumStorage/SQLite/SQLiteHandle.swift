@_spi(Host) internal import AtriumKit
internal import CSQLite
internal import Glibc

/// An open SQLite connection and the statements compiled for it.
///
/// Used only while the database's gate is held.
final class SQLiteHandle {
    let location: DatabaseLocation
    let callbacks: ConnectionCallbacks
    private let pointer: OpaquePointer
    private var cache = StatementCache(capacity: 64)
    /// Our `BEGIN` and `COMMIT` statements, kept out of reach of closures.
    private var controls = StatementCache(capacity: 4)

    init(_ pointer: OpaquePointer, at location: DatabaseLocation, callbacks: ConnectionCallbacks) {
        self.pointer = pointer
        self.location = location
        self.callbacks = callbacks
        sqlite3_extended_result_codes(pointer, 1)
        callbacks.install(on: pointer)
    }

    /// Closes the connection; the last one to a file moves the write-ahead log into it.
    func close() {
        cache.removeAll()
        controls.removeAll()
        sqlite3_close_v2(pointer)
    }

    var cachedStatementCount: Int { cache.count }

    var isOutsideTransaction: Bool { sqlite3_get_autocommit(pointer) != 0 }

    /// True if the open file is no longer the one at the path; costs two `stat`s.
    var isFileGone: Bool {
        var hasMoved: Int32 = 0
        let code = sqlite3_file_control(pointer, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        if code == SQLITE_OK && hasMoved != 0 { return true }
        // SQLite follows a link to the file, but the next host would look for the log beside the file.
        return FileStatus(of: resolvedPath, followsLinks: false)?.kind == .link
    }

    /// The path at which SQLite opened the file: without links.
    private var resolvedPath: String { String(cString: sqlite3_db_filename(pointer, "main")) }

    /// The number of rows that the last `INSERT`, `UPDATE` or `DELETE` changed.
    var changes: Int { Int(sqlite3_changes64(pointer)) }

    /// The number of rows changed since the connection was opened.
    var totalChanges: Int { Int(sqlite3_total_changes64(pointer)) }

    /// The failure of the last call.
    func failure() -> SQLiteFailure {
        SQLiteFailure(
            resultCode: sqlite3_extended_errcode(pointer),
            words: String(cString: sqlite3_errmsg(pointer)),
            systemError: SystemError(number: sqlite3_system_errno(pointer)))
    }

    /// The error of a failure, by default of the last call, or the cancellation that caused it.
    func error(for failure: SQLiteFailure? = nil, in sql: String? = nil) -> any Error {
        let failure = failure ?? self.failure()
        if isCancellation(failure) { return CancellationError() }
        let isTooLarge = failure.primaryCode == SQLITE_TOOBIG || failure.words.hasPrefix("too many columns")
        if callbacks.isForUser, isTooLarge { return DatabaseError.tooLarge(of: location.owner) }
        return DatabaseError.sqlite(failure, at: location, sql: sql)
    }

    /// True if a call failed because its job was cancelled.
    func isCancellation(_ failure: SQLiteFailure) -> Bool {
        let stops = failure.primaryCode == SQLITE_INTERRUPT || failure.primaryCode == SQLITE_BUSY
        return stops && callbacks.cancellation?.isCancelled == true
    }

    /// Moves the write-ahead log into the file and truncates it, if it is larger than `limit` bytes and has
    /// no readers; never waits.
    ///
    /// First releases the file's free pages if they are most of it.
    ///
    /// Call it outside of a transaction. SQLite itself truncates the log only when it starts over
    /// (`journal_size_limit`), so the space of a large transaction would stay allocated until a later one.
    func truncateLog(largerThan limit: Int = SQLiteHandle.logLimit) {
        guard let log = FileStatus(of: location.filePath + "-wal"), log.size > limit else { return }
        callbacks.waitsForLocks = false
        defer { callbacks.waitsForLocks = true }
        if isMostlyFree { _ = run("PRAGMA incremental_vacuum") }
        sqlite3_wal_checkpoint_v2(pointer, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }

    /// True if so many pages are free that moving the others costs no more than freeing them did.
    private var isMostlyFree: Bool {
        guard let free = try? number("PRAGMA freelist_count"), let all = try? number("PRAGMA page_count")
        else { return false }
        return free > all / 2
    }

    func number(_ sql: String) throws -> Int64 {
        let statement = try statement(sql)
        defer { release(statement) }
        return try step(statement) ? sqlite3_column_int64(statement.pointer, 0) : 0
    }

    /// Twice the size at which SQLite starts a checkpoint: 1,000 pages of 4 KB.
    static let logLimit = 8 << 20

    /// Runs a script of the host, or one of a module.
    ///
    /// - Returns: The failure; nil on success.
    func run(_ sql: String, isOfHost: Bool = true) -> SQLiteFailure? {
        callbacks.isOfHost = isOfHost
        defer { callbacks.isOfHost = false }
        return sqlite3_exec(pointer, sql, nil, nil, nil) == SQLITE_OK ? nil : failure()
    }
}

// MARK: - Statements

extension SQLiteHandle {
    /// Returns a compiled statement; end its use with ``release(_:)``.
    func statement(_ sql: String) throws -> PreparedStatement {
        if let statement = cache.take(sql) { return statement }
        let statement = PreparedStatement(try compile(sql), sql: sql)
        cache.insert(statement)
        return statement
    }

    func release(_ statement: PreparedStatement) { cache.release(statement) }

    /// Advances to the next row; returns false at the end.
    func step(_ statement: PreparedStatement) throws -> Bool {
        switch sqlite3_step(statement.pointer) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw error(in: statement.sql)
        }
    }

    /// Compiles a text with exactly one statement, besides blanks and comments.
    private func compile(_ sql: String) throws -> OpaquePointer {
        var statements: [OpaquePointer] = []
        do {
            // SQLite stops at a NUL and would ignore the rest.
            if !sql.utf8.contains(0) { try sql.withCString { try compile($0, of: sql, into: &statements) } }
            guard statements.count == 1 else {
                if callbacks.isForUser {
                    throw DatabaseError.notReading("is not exactly one statement", of: location.owner)
                }
                throw DatabaseError.misuse(of: location.owner, "must give exactly one statement", sql)
            }
            return statements[0]
        } catch {
            for statement in statements { sqlite3_finalize(statement) }
            throw error
        }
    }

    private func compile(
        _ text: UnsafePointer<CChar>, of sql: String, into statements: inout [OpaquePointer]
    ) throws {
        var rest: UnsafePointer<CChar>? = text
        while let start = rest, start.pointee != 0 {
            var statement: OpaquePointer?
            callbacks.refusal = nil
            let code = sqlite3_prepare_v3(
                pointer, start, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &rest)
            guard code == SQLITE_OK else { throw refusalError(of: sql) ?? error(in: sql) }
            if let statement { statements.append(statement) }
        }
    }

    private func refusalError(of sql: String) -> DatabaseError? {
        switch callbacks.refusal {
        case .transactionControl:
            DatabaseError.misuse(
                of: location.owner, "can't begin or end a transaction itself: read and write do", sql)
        case .attaching:
            DatabaseError.misuse(of: location.owner, "can't attach or detach another database", sql)
        case .setting:
            DatabaseError.misuse(
                of: location.owner, "can't change a setting that outlives the statement", sql)
        case .notReading: DatabaseError.notReading("does more than read its tables", of: location.owner)
        case .hidden(let column, let table): DatabaseError.hidden(column, of: table, in: location.owner)
        case nil: nil
        }
    }
}

// MARK: - Transactions

extension SQLiteHandle {
    /// The time at which a transaction takes its locks.
    enum TransactionKind: String {
        /// At the first statement, for reading only.
        case reading = "BEGIN DEFERRED"
        /// At once, so that later statements can't fail to get a lock.
        case writing = "BEGIN IMMEDIATE"
    }

    /// Begins a transaction, or a savepoint in the open one.
    func begin(_ kind: TransactionKind, isNested: Bool = false) throws {
        try control(isNested ? "SAVEPOINT part" : kind.rawValue)
    }

    /// Commits; a later cancellation has no effect.
    func commit(isNested: Bool = false) throws { try finish(isNested ? "RELEASE part" : "COMMIT") }

    /// Writes the pages changed by the open transaction to the log, and reserves the space for its commit,
    /// which then should not fail on a full disk.
    func flush() throws {
        let code = sqlite3_db_cacheflush(pointer)
        guard code == SQLITE_OK, reservesLog() else {
            let code = code == SQLITE_OK ? SQLITE_FULL : code
            throw error(for: SQLiteFailure(resultCode: code, words: String(cString: sqlite3_errstr(code))))
        }
    }

    /// Returns false if the disk is full; SQLite ignores bytes after the last frame of a log.
    private func reservesLog() -> Bool {
        let log = Glibc.open(location.filePath + "-wal", O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard log >= 0 else { return true }
        defer { Glibc.close(log) }
        var status = stat()
        return fstat(log, &status) != 0 || posix_fallocate(log, status.st_size, 64 << 10) != ENOSPC
    }

    /// Rolls back the transaction or its savepoint, unless a failure has already rolled back the transaction.
    ///
    /// - Returns: True if the connection is usable: at most the transaction around the savepoint is open.
    func rollBack(isNested: Bool = false) -> Bool {
        guard isNested else {
            if !isOutsideTransaction { try? finish("ROLLBACK") }
            return isOutsideTransaction
        }
        guard !isOutsideTransaction else { return false }
        do {
            try finish("ROLLBACK TO part")
            try finish("RELEASE part")
            return true
        } catch {
            return false
        }
    }

    /// Disables the progress handler, which could report a completed statement as interrupted.
    private func finish(_ sql: String) throws {
        let cancellation = callbacks.cancellation
        callbacks.cancellation = nil
        defer { callbacks.cancellation = cancellation }
        try control(sql)
    }

    private func control(_ sql: String) throws {
        callbacks.isOfHost = true
        defer { callbacks.isOfHost = false }
        let statement = try controls.take(sql) ?? PreparedStatement(compile(sql), sql: sql)
        if !statement.isCached { controls.insert(statement) }
        defer { controls.release(statement) }
        _ = try step(statement)
    }
}

// MARK: - Opening

extension SQLiteHandle {
    /// Opens the file; creates it and the folders above it for their owner alone.
    ///
    /// Without shared memory, as on network file systems, SQLite uses its older journal; commits are durable
    /// either way.
    static func open(
        _ location: DatabaseLocation, busyTimeout: Duration, cancellation: CancellationFlag
    ) throws -> SQLiteHandle {
        try DatabaseFile.create(location)
        let callbacks = ConnectionCallbacks(busyTimeout: busyTimeout)
        callbacks.cancellation = cancellation
        var pointer: OpaquePointer?
        let code = sqlite3_open_v2(
            location.filePath, &pointer, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard let pointer else {
            let failure = SQLiteFailure(resultCode: code, words: String(cString: sqlite3_errstr(code)))
            throw DatabaseError.sqlite(failure, at: location)
        }
        let handle = SQLiteHandle(pointer, at: location, callbacks: callbacks)
        do {
            guard code == SQLITE_OK else { throw handle.error() }
            try DatabaseFile.requireAllPages(of: pointer, at: location)
            try handle.configure(deadline: .now + busyTimeout)
            return handle
        } catch {
            handle.close()
            throw error
        }
    }

    /// Opens the file for a query of a user, which can change nothing, load nothing and attach nothing.
    static func open(
        _ location: DatabaseLocation, for query: DatabaseQuery, _ cancellation: CancellationFlag
    ) throws -> SQLiteHandle {
        let callbacks = ConnectionCallbacks(busyTimeout: .seconds(1), for: query)
        callbacks.cancellation = cancellation
        var pointer: OpaquePointer?
        let code = sqlite3_open_v2(
            location.filePath, &pointer, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard let pointer else {
            let failure = SQLiteFailure(resultCode: code, words: String(cString: sqlite3_errstr(code)))
            throw DatabaseError.sqlite(failure, at: location)
        }
        // The longest text or blob, also of those that the query makes.
        sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, 1 << 20)
        let handle = SQLiteHandle(pointer, at: location, callbacks: callbacks)
        guard code == SQLITE_OK, handle.run(readingSettings) == nil else {
            defer { handle.close() }
            throw handle.error()
        }
        // Once the tables are known, which may have more columns.
        sqlite3_limit(pointer, SQLITE_LIMIT_COLUMN, 100)
        do {
            callbacks.secrets = DerivedSecrets(try handle.schema(), try handle.foreignKeys(), of: query)
        } catch {
            handle.close()
            throw error
        }
        return handle
    }

    /// The names of tables and views with the statements that created them.
    private func schema() throws -> [(name: String, sql: String)] {
        try texts("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'view')")
            .map { ($0[0], $0[1]) }
    }

    /// The columns of foreign keys, those without a target column with their part of the primary key.
    private func foreignKeys() throws -> [DerivedSecrets.ForeignKey] {
        try texts(
            """
            SELECT m.name, k."from", k."table", coalesce(k."to",
                (SELECT c.name FROM pragma_table_info(k."table") AS c WHERE c.pk = k.seq + 1))
            FROM sqlite_master AS m JOIN pragma_foreign_key_list(m.name) AS k WHERE m.type = 'table'
            """
        ).map { .init(table: $0[0], column: $0[1], target: ($0[2], $0[3])) }
    }

    /// The rows of a query of the host that are texts only.
    private func texts(_ sql: String) throws -> [[String]] {
        callbacks.isOfHost = true
        defer { callbacks.isOfHost = false }
        let statement = try statement(sql)
        defer { release(statement) }
        var (found, row) = ([[String]](), [DatabaseValue]())
        while try step(statement) {
            try statement.readRow(statement.columns(), into: &row)
            let texts = row.compactMap { if case .text(let text) = $0 { text } else { nil } }
            if texts.count == row.count { found.append(texts) }
        }
        return found
    }

    private static let readingSettings = """
        PRAGMA query_only = ON;
        PRAGMA trusted_schema = OFF;
        SELECT 1 FROM sqlite_master LIMIT 1;
        """

    private func configure(deadline: ContinuousClock.Instant) throws {
        // If two connections switch a new file to WAL, one gets SQLITE_BUSY without the busy handler.
        while let failure = run(Self.settings) {
            let isBusy = failure.primaryCode == SQLITE_BUSY && !isCancellation(failure)
            guard isBusy, .now < deadline else { throw error(for: failure) }
            ConnectionCallbacks.sleep(.milliseconds(2))
        }
    }

    private static let settings = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA foreign_keys = ON;
        PRAGMA trusted_schema = OFF;
        PRAGMA journal_size_limit = \(logLimit);
        """
}
