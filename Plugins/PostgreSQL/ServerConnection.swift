@_spi(Host) import AtriumKit
import CPostgreSQL
import Glibc

/// A connection to the server, used by one thread at a time.
// architecture: allow unchecked-sendable, because the pool gives it to one closure at a time
final class ServerConnection: @unchecked Sendable {
    private let connection: OpaquePointer
    private let limits: Limits
    /// The times of the server's start and of its last recovery from a crash.
    private(set) var serverStart: String?
    /// True if the server's process is not the one that answered: a pooler is in between.
    private(set) var isPooled = false
    /// The statements, by schema and text: tables are looked up when a statement is prepared.
    private var statements: [StatementKey: PreparedStatement] = [:]
    /// The server's id of the open transaction, if it may write.
    private(set) var transactionID: String?
    /// The messages that begin a transaction, until the first statement is sent in it.
    private var beginning: [Message] = []
    /// The schema in which the connection's transactions find their tables; nil if unknown.
    private var schema: String?
    /// The number of statements prepared so far; each is named by its number.
    private var preparedCount = 0

    private struct StatementKey: Hashable {
        let schema: String
        let text: String
    }

    /// The time by which the connection must be usable; nil once it is.
    private var deadline: Double?

    /// Connects; blocks up to the time limit.
    ///
    /// - Throws: ``ServerFailure``.
    init(_ url: String, _ limits: Limits) throws {
        self.limits = limits
        deadline = Self.now + limits.connect
        let opened = try ConnectionAttempt.open(url, within: limits.connect)
        guard PQserverVersion(opened) >= 130_000 else {
            defer { PQfinish(opened) }
            throw ServerFailure(state: ServerFailure.tooOld, words: "its version is below 13")
        }
        connection = opened
        PQsetnonblocking(connection, 1)
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        try setUp()
        deadline = nil
    }

    /// Sets what transactions rely on, whatever the role and the database have set.
    private func setUp() throws {
        // The server ends the locks and transactions of an unreachable host after 25 seconds.
        let server = try run(
            """
            SET statement_timeout = \(statementLimit);
            SET lock_timeout = \(lockLimit);
            SET idle_in_transaction_session_timeout = 0;
            SET tcp_keepalives_idle = 10;
            SET tcp_keepalives_interval = 5;
            SET tcp_keepalives_count = 3;
            SET tcp_user_timeout = 25000;
            SET default_transaction_deferrable = off;
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') = 'off';
            SELECT set_config(name, '0', false)
            FROM unnest(ARRAY['idle_session_timeout', 'transaction_timeout']) AS name
            WHERE current_setting(name, true) IS NOT NULL;
            SET standard_conforming_strings = on;
            SET bytea_output = hex;
            SET extra_float_digits = 1;
            SELECT concat(pg_postmaster_start_time(), ' ', stats_reset), getdatabaseencoding(),
                pg_backend_pid(), pg_is_in_recovery()
            FROM pg_stat_bgwriter
            """)
        serverStart = server.text(0, 0)
        isPooled = server.text(0, 2) != String(PQbackendPID(connection))
        if let encoding = server.text(0, 1), encoding != "UTF8" {
            throw ServerFailure(
                state: ServerFailure.otherEncoding, words: "its encoding is \(encoding), not UTF8")
        }
        if server.text(0, 3) == "t" {
            throw ServerFailure(state: ServerFailure.standby, words: "it is a hot standby")
        }
    }

    deinit { PQfinish(connection) }

    /// True if it is usable: the server is connected as far as known, and no message is half sent.
    var isAlive: Bool { !isBroken && isConnected }
    private var isConnected: Bool { PQstatus(connection) == CONNECTION_OK }
    private var isBroken = false

    /// True if a transaction is open, or the next statement opens one.
    var isInTransaction: Bool { !beginning.isEmpty || PQtransactionStatus(connection) != PQTRANS_IDLE }

    /// In milliseconds.
    var lockLimit: Int { Int(limits.lock * 1000) }
    private var statementLimit: Int { isAlone ? aloneLimit : Int(limits.statement * 1000) }
    private var aloneLimit: Int { max(1, Int(limits.keepingOut * 1000)) }
    /// True if its transaction locks other changes out of the tables.
    private(set) var isAlone = false

    // MARK: - Transactions

    /// Makes the next statement begin a transaction, in one message with it; its statements find their tables
    /// in a schema.
    func begin(in schema: String, isReading: Bool) throws {
        (transactionID, isAlone) = (nil, false)
        let start = "BEGIN ISOLATION LEVEL SERIALIZABLE"
        let statements = isReading ? [start + " READ ONLY"] : [start, Self.number]
        let messages = try statements.map { Message.statement(try statement($0, in: "pg_catalog"), []) }
        // Before the first query, as one that locks tables is inserted after it.
        let path = schema == self.schema ? [] : [Message.text("SET search_path TO \(schema)")]
        beginning = messages.prefix(1) + path + messages.dropFirst()
        self.schema = schema
    }

    /// Excludes the transaction that the next statement begins from conflict detection: it is REPEATABLE READ.
    ///
    /// Call it only for a transaction that inserts: it reads nothing that conflict detection could protect. A
    /// long SERIALIZABLE one makes the server keep the read locks of all overlapping transactions. The server
    /// accepts the level only before the first query.
    ///
    /// - Returns: False if the transaction has begun.
    func skipConflictDetection() -> Bool {
        guard !beginning.isEmpty else { return false }
        beginning.insert(.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"), at: 1)
        return true
    }

    private static let number = "SELECT pg_current_xact_id()::text"

    /// Begins a transaction during which others only read the tables of a schema, so it conflicts with none.
    ///
    /// - Returns: True if it has begun; false if others change the tables for too long.
    func beginAlone(in schema: String, _ cancellation: Cancellation) throws -> Bool {
        let names = try run(try statement(Self.tables, in: "pg_catalog"), [.text(schema)], cancellation)
        guard let tables = names.firstText else { return false }
        try begin(in: schema, isReading: false)
        // Before the first query, which takes the snapshot. While it waits, so do later transactions.
        let lock = [
            "SET LOCAL lock_timeout = \(aloneLimit)",
            "LOCK TABLE \(tables) IN SHARE ROW EXCLUSIVE MODE", "SET LOCAL lock_timeout = \(lockLimit)",
            "SET LOCAL statement_timeout = \(aloneLimit)",
        ]
        beginning.insert(contentsOf: lock.map(Message.text), at: 1)
        do {
            try beginNow(cancellation)
            isAlone = true
            return true
        } catch let failure as ServerFailure {
            rollBack()
            guard failure.isLocked else { throw failure }
            return false
        }
    }

    /// The tables of a schema that the role may lock, in the same order for every host.
    private static let tables = """
        SELECT string_agg(oid::regclass::text, ', ' ORDER BY oid) FROM pg_class
        WHERE relnamespace = to_regnamespace(?) AND relkind IN ('r', 'p')
        AND has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE')
        """

    /// Begins the transaction without a statement.
    func beginNow(_ cancellation: Cancellation?) throws {
        if !beginning.isEmpty { try send([], cancellation) }
    }

    /// Commits the transaction together with some messages before it; does nothing if no statement was run.
    func commit(after messages: [Message]) throws {
        defer { (beginning, isAlone) = ([], false) }
        guard beginning.isEmpty else { return schema = nil }
        do { try send(messages + [.text("COMMIT")], nil) } catch {
            schema = nil
            throw error
        }
    }

    func rollBack() {
        // The former schema is back.
        defer { (beginning, isAlone, schema) = ([], false, nil) }
        if beginning.isEmpty, isAlive { _ = try? run("ROLLBACK") }
    }

    // MARK: - Statements

    /// The number of the server's process, which is a session.
    func session() throws -> String? { try run("SELECT pg_backend_pid()").firstText }

    /// A part of what is sent to the server at once.
    enum Message {
        /// One statement without arguments.
        case text(String)
        case preparation(PreparedStatement)
        case statement(PreparedStatement, [DatabaseValue])
    }

    /// Runs statements without arguments.
    @discardableResult
    func run(_ sql: String, _ cancellation: Cancellation? = nil) throws -> ServerResult {
        try Self.requireWhole(sql)
        guard beginning.isEmpty else { return try send([.text(sql)], cancellation) }
        sent = Self.now
        guard PQsendQuery(connection, sql) == 1 else { throw ServerFailure(of: connection) }
        // The server's limit applies to each statement, and it answers at the end.
        return try result(cancellation, ofStatements: sql.utf8.count { $0 == UInt8(ascii: ";") } + 1)
    }

    /// Runs a statement returned by ``statement(_:in:)``.
    func run(
        _ statement: PreparedStatement, _ arguments: [DatabaseValue], _ cancellation: Cancellation?
    ) throws -> ServerResult {
        try send([.statement(statement, arguments)], cancellation)
    }

    /// A statement, prepared once per text and schema, when it is first run.
    func statement(_ text: String, in schema: String) throws -> PreparedStatement {
        let key = StatementKey(schema: schema, text: text)
        if let statement = statements[key] { return statement }
        try Self.requireWhole(text)
        if statements.count >= Self.mostStatements {
            try run("DEALLOCATE ALL")
            statements = [:]
        }
        preparedCount += 1
        let statement = PreparedStatement(name: "s\(preparedCount)", NumberedStatement(text))
        statements[key] = statement
        return statement
    }

    private static let mostStatements = 500

    /// Refuses a statement that libpq would end at a zero byte.
    private static func requireWhole(_ sql: String) throws {
        guard sql.utf8.contains(0) else { return }
        throw ServerFailure(state: ServerFailure.cutStatement, words: "it has U+0000, which ends a statement")
    }

    /// Begins a `COPY … FROM STDIN`, which ``endCopy(_:)`` or ``cancelCopy()`` ends.
    func beginCopy(_ sql: String, _ cancellation: Cancellation?) throws {
        try Self.requireWhole(sql)
        // The time depends on the number of rows.
        if !isAlone { try send([.text("SET LOCAL statement_timeout = 0")], cancellation) }
        sent = isAlone ? Self.now : .infinity
        guard PQsendQuery(connection, sql) == 1 else { throw ServerFailure(of: connection) }
        try wait(cancellation)
        guard let begun = PQgetResult(connection) else { throw ServerFailure(of: connection) }
        defer { PQclear(begun) }
        guard PQresultStatus(begun) == PGRES_COPY_IN else {
            let failure = ServerFailure(begun, on: connection)
            _ = try? result(nil)
            throw told(failure, cancellation)
        }
        // The server may be writing rows for a while before it reads more; that is no lost connection.
        acknowledgementLimit = exchangeAcknowledgementLimit(for: 0)
    }

    func copy(_ text: CopyText) throws {
        try send { connection in
            text.bytes.withUnsafeBytes {
                PQputCopyData(
                    connection, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
            }
        }
    }

    func endCopy(_ cancellation: Cancellation?) throws -> ServerResult {
        defer { _ = exchangeAcknowledgementLimit(for: acknowledgementLimit) }
        try send { PQputCopyEnd($0, nil) }
        let inserted = try result(cancellation)
        try run("SET LOCAL statement_timeout = \(statementLimit)")
        return inserted
    }

    /// Ends the `COPY` without inserting; the transaction can only be rolled back.
    func cancelCopy() {
        defer { _ = exchangeAcknowledgementLimit(for: acknowledgementLimit) }
        try? send { PQputCopyEnd($0, "the module gives no more rows") }
        _ = try? result(nil)
    }

    /// The value of `TCP_USER_TIMEOUT` before a `COPY`.
    private var acknowledgementLimit: CInt = 0

    /// Sets the milliseconds for which sent data may stay unacknowledged, and returns the former value.
    ///
    /// A Unix socket has no such limit, and loses no data.
    private func exchangeAcknowledgementLimit(for new: CInt) -> CInt {
        var (former, new) = (CInt(0), new)
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(PQsocket(connection), CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &former, &size)
        setsockopt(PQsocket(connection), CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &new, size)
        return former
    }

    /// Sends data and waits until the server has taken it, as the buffer would grow without limit.
    private func send(_ put: (OpaquePointer) -> Int32) throws {
        guard put(connection) == 1 else { throw ServerFailure(of: connection) }
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1: try wait(for: Int16(POLLOUT))
            default: throw ServerFailure(of: connection)
            }
        }
    }

    private func wait(for events: Int16) throws {
        var descriptor = pollfd(fd: PQsocket(connection), events: events | Int16(POLLIN), revents: 0)
        guard descriptor.fd >= 0 else { throw ServerFailure(of: connection) }
        let limit = Int32(min(1e6, (limits.statement + limits.connect) * 1000))
        guard poll(&descriptor, 1, limit) > 0 else {
            isBroken = true
            throw ServerFailure(words: "the server takes no more rows")
        }
        if descriptor.revents & Int16(POLLIN) != 0, PQconsumeInput(connection) == 0 {
            throw ServerFailure(of: connection)
        }
    }

    // MARK: - Notifications

    /// Waits for a notification by another connection, a wake-up, or the end of the time.
    ///
    /// - Returns: True if there was a notification.
    func listen(until end: ContinuousClock.Instant, or wake: Wakeup) throws -> Bool {
        if takeNotifications() { return true }
        let rest = (end - .now) / .milliseconds(1)
        var descriptors = [
            pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.reader, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&descriptors, 2, Int32(max(0, rest.rounded(.up))))
        if descriptors[1].revents != 0 { wake.drain() }
        if descriptors[0].revents != 0, PQconsumeInput(connection) == 0 {
            throw ServerFailure(of: connection)
        }
        return takeNotifications()
    }

    private func takeNotifications() -> Bool {
        var isNews = false
        while let notification = PQnotifies(connection) {
            if notification.pointee.be_pid != PQbackendPID(connection) { isNews = true }
            PQfreemem(notification)
        }
        return isNews
    }

    // MARK: - Messages and answers

    /// Sends messages, after those that begin a transaction, and waits for their results; messages after a
    /// failed one are not run.
    ///
    /// - Returns: The last result.
    @discardableResult
    private func send(_ messages: [Message], _ cancellation: Cancellation?) throws -> ServerResult {
        let first = beginning
        (beginning, sent) = ([], Self.now)
        // Statements are prepared within the transaction, which begins first.
        var prepared: Set<String> = []
        let all = (first + messages).flatMap { message -> [Message] in
            guard case .statement(let statement, _) = message, !statement.isPrepared,
                prepared.insert(statement.name).inserted
            else { return [message] }
            return [.preparation(statement), message]
        }
        if all.count == 1 {
            try put(all[0])
            do { return try result(cancellation) } catch var failure as ServerFailure {
                if isOld(all[0], preparedHere: prepared) { failure.isOfOldStatement() }
                throw failure
            }
        }
        var (results, failure) = try pipeline(all, cancellation)
        for (message, result) in zip(all, results) {
            switch message {
            case .preparation(let statement): statement.isPrepared = true
            case .statement(let statement, _) where statement.sql == Self.number:
                transactionID = result.firstText
            default: break
            }
        }
        if results.count < all.count, isOld(all[results.count], preparedHere: prepared) {
            failure?.isOfOldStatement()
        }
        if let failure { throw told(failure, cancellation) }
        guard let last = results.last else { throw ServerFailure(of: connection) }
        return last
    }

    /// True if a message runs a statement that was prepared earlier.
    private func isOld(_ message: Message, preparedHere: Set<String>) -> Bool {
        if case .statement(let statement, _) = message {
            !preparedHere.contains(statement.name)
        } else {
            false
        }
    }

    /// The results of messages, up to the first failure.
    private func pipeline(
        _ messages: [Message], _ cancellation: Cancellation?
    ) throws -> (results: [ServerResult], failure: ServerFailure?) {
        isBroken = true
        guard PQenterPipelineMode(connection) == 1 else { throw ServerFailure(of: connection) }
        for message in messages { try put(message, inPipeline: true) }
        guard PQpipelineSync(connection) == 1 else { throw ServerFailure(of: connection) }
        let (results, failure) = try pipelinedResults(cancellation)
        guard PQexitPipelineMode(connection) == 1 else { throw failure ?? ServerFailure(of: connection) }
        isBroken = false
        return (results, failure)
    }

    private func put(_ message: Message, inPipeline: Bool = false) throws {
        let sent =
            switch message {
            case .text(let sql) where inPipeline:
                PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 0)
            case .text(let sql): PQsendQuery(connection, sql)
            case .preparation(let statement): PQsendPrepare(connection, statement.name, statement.sql, 0, nil)
            case .statement(let statement, let arguments):
                Arguments(arguments).withPointers { count, values, lengths, formats in
                    PQsendQueryPrepared(connection, statement.name, count, values, lengths, formats, 0)
                }
            }
        guard sent == 1 else { throw ServerFailure(of: connection) }
    }

    /// The results up to the end of a pipeline, or up to the first failure.
    private func pipelinedResults(
        _ cancellation: Cancellation?
    ) throws -> (results: [ServerResult], failure: ServerFailure?) {
        var (results, failure) = ([ServerResult](), ServerFailure?.none)
        while true {
            try wait(cancellation)
            // Nil ends the results of one message.
            if let next = PQgetResult(connection) {
                let result = ServerResult(next)
                switch PQresultStatus(next) {
                case PGRES_PIPELINE_SYNC: return (results, failure)
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: results.append(result)
                case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: throw refusedCopy()
                default: failure = failure ?? ServerFailure(next, on: connection)
                }
            }
            guard isConnected else { throw failure ?? ServerFailure(of: connection) }
        }
    }

    /// Gives up the connection of a statement that begins a `COPY`, which would otherwise not end.
    private func refusedCopy() -> ServerFailure {
        isBroken = true
        return ServerFailure(state: "42601", words: "COPY is not a statement of its own: use insert(into:)")
    }

    private func told(_ failure: ServerFailure, _ cancellation: Cancellation?) -> any Error {
        guard failure.isCancelled else { return failure }
        if cancellation?.isCancelled == true { return CancellationError() }
        // The server distinguishes them only by words in its language. Its clock may be a little faster.
        let isTimeout = Self.now - sent >= Double(statementLimit) / 1000 * 0.99
        return isTimeout ? failure.timedOut() : failure
    }

    /// The time of the latest request; infinite while a statement has no limit.
    private var sent = 0.0

    /// Waits for the last result of the statements sent.
    ///
    /// - Throws: ``ServerFailure``, or `CancellationError` once the server has ended the statement.
    private func result(_ cancellation: Cancellation?, ofStatements count: Int = 1) throws -> ServerResult {
        var (last, failure) = (ServerResult?.none, ServerFailure?.none)
        while true {
            try wait(cancellation, forStatements: count)
            guard let next = PQgetResult(connection) else { break }
            let result = ServerResult(next)
            switch PQresultStatus(next) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: last = result
            case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: throw refusedCopy()
            default: failure = failure ?? ServerFailure(next, on: connection)
            }
            if !isConnected { break }
        }
        if let failure { throw told(failure, cancellation) }
        guard let last else { throw ServerFailure(of: connection) }
        return last
    }

    /// Waits until a result can be taken without blocking.
    private func wait(_ cancellation: Cancellation?, forStatements count: Int = 1) throws {
        var request: CancelRequest?
        // The server ends a statement at its limit; if it does not, it is lost.
        var end = deadline ?? Self.now + limits.statement * Double(count) + limits.connect
        while true {
            let unsent = PQflush(connection)
            if unsent < 0 { throw ServerFailure(of: connection) }
            if unsent == 0, PQisBusy(connection) == 0 {
                guard let request, !request.isSent(within: limits.connect) else { return }
                // The request would cancel the connection's next statement.
                isBroken = true
                throw CancellationError()
            }
            if cancellation?.isCancelled == true {
                if request == nil { end = min(end, Self.now + limits.connect) }
                // Repeat it after a while: the server ignores a request that comes before the statement.
                if request?.isRecent != true { request = CancelRequest(to: connection) }
            }
            guard Self.now < end else {
                // A late answer would be taken for that of another statement.
                isBroken = true
                if request != nil { throw CancellationError() }
                throw ServerFailure.silent(for: deadline == nil ? limits.statement : limits.connect)
            }
            var descriptor = pollfd(
                fd: PQsocket(connection), events: Int16(POLLIN | (unsent > 0 ? POLLOUT : 0)), revents: 0)
            guard descriptor.fd >= 0 else { throw ServerFailure(of: connection) }
            // Short, so that a cancellation is noticed.
            let ready = poll(&descriptor, 1, 20)
            if ready > 0, PQconsumeInput(connection) == 0 { throw ServerFailure(of: connection) }
        }
    }

    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

extension ServerFailure {
    /// Set by the engine: the server is older than it supports.
    static let tooOld = "atrium-too-old"
    /// Set by the engine: the encoding of the database lacks characters.
    static let otherEncoding = "atrium-encoding"
    /// Set by the engine: a statement has U+0000.
    static let cutStatement = "atrium-cut"
    /// Set by the engine: the server repeats the changes of another one.
    static let standby = "atrium-standby"
    /// Set by the engine: a pooler gives each transaction another session.
    static let pooled = "atrium-pooled"
    /// Set by the engine: a transaction without conflict detection did more than insert rows.
    static let withoutDetection = "atrium-without-detection"
}

/// A statement that the server knows by name once it has prepared it.
final class PreparedStatement {
    let name: String
    let sql: String
    let parameterCount: Int
    fileprivate(set) var isPrepared = false

    init(name: String, _ statement: NumberedStatement) {
        self.name = name
        (sql, parameterCount) = (statement.sql, statement.parameterCount)
    }
}
