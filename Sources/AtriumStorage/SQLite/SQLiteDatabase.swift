@_spi(Host) public import AtriumKit
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A module's database in one SQLite file.
///
/// Closures run one at a time on one connection, in the order of the calls. The first one opens, creates
/// and migrates the file; after a failure, the next one tries again.
public final class SQLiteDatabase: ManagedDatabase {
    package let path: String
    private let queue: DispatchQueue
    private let worker: DatabaseWorker
    /// Held while the connection is used.
    private let gate = Gate()
    /// The number of closures on the queue.
    private let pending = Atomic(0)

    /// Describes the database; touches no file.
    ///
    /// - Parameters:
    ///   - path: The file. It is created with mode 0600, and the folders above it with 0700.
    ///   - owner: The name of the module.
    ///   - migrations: The migrations that create the tables.
    ///   - busyTimeout: The time that a closure waits for other processes.
    ///   - didCommit: Called with the announcements of a transaction, on any thread.
    public init(
        path: String, owner: String, migrations: [Migration], busyTimeout: Duration = .seconds(5),
        didCommit: (@Sendable ([Announcement]) -> Void)? = nil
    ) {
        self.path = path
        queue = DispatchQueue(label: "atrium.database.\(owner)")
        worker = DatabaseWorker(
            DatabaseLocation(owner: owner, path: path), migrator: Migrator(migrations, of: owner),
            busyTimeout: busyTimeout, didCommit: didCommit)
    }

    deinit {
        guard !isClosed else { return }
        // Closing may wait for the disk.
        let worker = worker
        queue.async { worker.close() }
    }

    nonisolated(nonsending) public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        if let value = try readAtOnce(body) { return value }
        return try await enqueue { [worker] in try worker.run(.reading, $0, body) }
    }

    nonisolated(nonsending) public func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        try await enqueue { [worker] in try worker.run(.writing, $0, body) }
    }

    @_spi(Host) nonisolated(nonsending) public func answer(
        _ query: DatabaseQuery
    ) async throws -> DatabaseAnswer {
        let location = worker.location
        guard access(path, F_OK) == 0 else { throw DatabaseError.notMade(of: location.owner) }
        // So that the other connection neither creates the log, nor leaves it behind.
        _ = try await read { try $0.query("SELECT 1", []) { _ in } }
        let job = DatabaseJob<DatabaseAnswer>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard job.wait(continuation) else { return }
                DispatchQueue.global().async { job.run { try Self.answer(query, at: location, $0) } }
            }
        } onCancel: {
            job.cancel()
        }
    }

    private static func answer(
        _ query: DatabaseQuery, at location: DatabaseLocation, _ cancellation: CancellationFlag
    ) throws -> DatabaseAnswer {
        // SQLite asks for no permission to compare columns of the same name. Keywords have no other spelling.
        guard StatementWords.of(query.sql ?? "").isDisjoint(with: ["natural", "using"]) else {
            throw DatabaseError.notReading(
                "uses NATURAL or USING; write JOIN … ON instead", of: location.owner)
        }
        let handle = try SQLiteHandle.open(location, for: query, cancellation)
        defer { handle.close() }
        let sql = query.sql ?? tables
        let statement = try handle.statement(query.isPlan ? "EXPLAIN QUERY PLAN \(sql)" : sql)
        defer { handle.release(statement) }
        guard statement.isReadOnly, statement.parameterCount == 0 else {
            throw DatabaseError.notReading("writes, or has parameters", of: location.owner)
        }
        // The columns are known once the first step has looked at the schema.
        var hasRow = try handle.step(statement)
        let columns = statement.columns()
        var answer = DatabaseAnswer(columns.map(\.name), limit: query.limit)
        var row: [DatabaseValue] = []
        while hasRow {
            try statement.readRow(columns, into: &row)
            guard answer.add(row) else { break }
            hasRow = try handle.step(statement)
        }
        return answer
    }

    private static let tables = """
        SELECT made.name AS 'table', group_concat(described.name, ', ') AS columns
        FROM sqlite_master AS made, pragma_table_info(made.name) AS described
        WHERE made.type IN ('table', 'view') AND made.name NOT LIKE 'sqlite_%' GROUP BY made.name
        """

    /// Closes the file after the closures on the queue.
    ///
    /// A later `read` or `write` opens the file again.
    nonisolated(nonsending) public func close() async {
        if isClosed { return }
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                gate.enter { worker.close() }
                continuation.resume()
            }
        }
    }

    /// True if the file is closed, with no closure pending that would open it.
    private var isClosed: Bool {
        pending.load(ordering: .acquiring) == 0 && gate.enterIfFree({ worker.isOpen }) == false
    }

    // MARK: - All databases of a host

    /// The number of `write` closures that were committed through this object.
    package var commitCount: Int { worker.commits.load(ordering: .acquiring) }

    /// Runs `body` while no closure runs on any of these databases; closes their files first if `closes`.
    ///
    /// A later `read` or `write` opens the file again.
    ///
    /// - Returns: Nil, without waiting, if a closure runs or a change of the modules uses one of them.
    package static func whileUnused<Value>(
        _ databases: ArraySlice<SQLiteDatabase>, closes: Bool, _ body: () throws -> Value
    ) rethrows -> Value? {
        guard let first = databases.first else { return try body() }
        let value: Value?? = try first.gate.enterIfFree {
            guard !first.worker.isInChange else { return nil }
            if closes { first.worker.close() }
            return try whileUnused(databases.dropFirst(), closes: closes, body)
        }
        return value ?? nil
    }

    // MARK: - Changes of the module

    /// Makes the migrations part of a change of the modules, until ``publish()`` or ``discard()``.
    ///
    /// Meanwhile the first use of an existing file migrates it in a transaction that stays open and includes
    /// the module's writes.
    public func stage() { gate.enter { worker.stage() } }

    /// True if it is part of a change.
    public var isStaged: Bool { gate.enter { worker.isStaged } }

    /// Migrates an existing file now if it is part of a change; the transaction stays open.
    ///
    /// - Returns: The version before; nil if no migration was missing, or there is no file.
    /// - Throws: ``DatabaseError``; the file is unchanged.
    nonisolated(nonsending) public func prepare() async throws -> Int? {
        guard isStaged, access(path, F_OK) == 0 else { return nil }
        return try await enqueue { [worker] in try worker.prepare($0) }
    }

    /// Writes the data that ``publish()`` commits to the disk, except for what only the commit can write, so
    /// that a full disk is noticed here.
    public func flush() throws { try gate.enter { try worker.flush() } }

    /// Commits the change: the migrations and the module's writes since.
    public func publish() throws { try gate.enter { try worker.publish() } }

    /// Rolls back the change; every later use throws.
    public func discard() { gate.enter { worker.discard() } }

    /// Runs a short read on the caller's thread if the queue is empty: changing threads costs several times
    /// as much as the first page of a list.
    ///
    /// - Returns: Nil if the closure has to run on the queue.
    private func readAtOnce<Value: Sendable>(
        _ body: @Sendable (any DatabaseConnection) throws -> Value
    ) throws -> Value? {
        try Task.checkCancellation()
        guard pending.load(ordering: .acquiring) == 0 else { return nil }
        return try gate.enterIfFree { try worker.readBriefly(body) } ?? nil
    }

    private func enqueue<Value: Sendable>(
        _ body: @escaping @Sendable (CancellationFlag) throws -> Value,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        let job = DatabaseJob<Value>()
        return try await withTaskCancellationHandler {
            // Without the capture the closure would run on another thread.
            _ = isolation
            return try await withCheckedThrowingContinuation { continuation in
                guard job.wait(continuation) else { return }
                pending.add(1, ordering: .acquiringAndReleasing)
                queue.async { [self] in
                    gate.enter { job.run(body) }
                    pending.subtract(1, ordering: .acquiringAndReleasing)
                }
            }
        } onCancel: {
            job.cancel()
        }
    }
}
