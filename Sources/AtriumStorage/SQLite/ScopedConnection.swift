@_spi(Host) internal import AtriumKit
internal import Synchronization

/// The connection of a `read` or `write` closure.
final class ScopedConnection: DatabaseConnection {
    private let handle: SQLiteHandle
    private let kind: SQLiteHandle.TransactionKind
    private let cancellation: CancellationFlag
    /// The error that made SQLite roll back the transaction.
    private var endingFailure: (any Error)?
    private(set) var announcements: [Announcement] = []
    /// Atomic, as a connection that escaped its closure may be used on any thread.
    private let isEnded = Atomic<Bool>(false)

    init(_ handle: SQLiteHandle, _ kind: SQLiteHandle.TransactionKind, _ cancellation: CancellationFlag) {
        self.handle = handle
        self.kind = kind
        self.cancellation = cancellation
    }

    @discardableResult
    func execute(_ sql: String, _ arguments: [DatabaseValue]) throws -> Int {
        try withStatement(sql, arguments) { statement in
            let before = handle.totalChanges
            while try handle.step(statement) {}
            // A statement that changes no rows leaves the count of the previous one.
            return handle.totalChanges == before ? 0 : handle.changes
        }
    }

    func query<Value>(
        _ sql: String, _ arguments: [DatabaseValue], decode: (DatabaseRow) throws -> Value
    ) throws -> [Value] {
        try withStatement(sql, arguments) { statement in
            guard try handle.step(statement) else { return [] }
            let columns = statement.columns()
            var decoded: [Value] = []
            // One array for all rows, unless `decode` keeps one of them.
            var values: [DatabaseValue] = []
            values.reserveCapacity(columns.count)
            repeat {
                try statement.readRow(columns, into: &values)
                decoded.append(try decode(DatabaseRow(columns: columns, values: values)))
            } while try handle.step(statement)
            return decoded
        }
    }

    var dialect: Dialect { .sqlite }

    func announce(_ announcement: Announcement) { announcements.append(announcement) }

    /// Ends the closure: later uses throw.
    func end() { isEnded.store(true, ordering: .relaxed) }

    /// Throws if the transaction has ended, so that no statement runs outside of one.
    func requireTransaction() throws {
        try cancellation.check()
        guard !handle.isOutsideTransaction else {
            throw DatabaseError.transactionEnded(of: handle.location.owner, by: endingFailure)
        }
    }

    private func withStatement<Value>(
        _ sql: String, _ arguments: [DatabaseValue], _ use: (PreparedStatement) throws -> Value
    ) throws -> Value {
        guard !isEnded.load(ordering: .relaxed) else {
            throw DatabaseError.connectionEnded(of: handle.location.owner)
        }
        try requireTransaction()
        let statement = try handle.statement(sql)
        defer { handle.release(statement) }
        try prepare(statement, arguments)
        do {
            return try use(statement)
        } catch {
            if handle.isOutsideTransaction { endingFailure = error }
            throw error
        }
    }

    private func prepare(_ statement: PreparedStatement, _ arguments: [DatabaseValue]) throws {
        guard kind == .writing || statement.isReadOnly else {
            throw DatabaseError.misuse(
                of: handle.location.owner, "runs a statement that writes inside read; use write",
                statement.sql)
        }
        let (given, expected) = (arguments.count, statement.parameterCount)
        guard given == expected else {
            throw DatabaseError.wrongCount(
                of: given, expected: expected, in: statement.sql, of: handle.location.owner)
        }
        guard statement.bind(arguments) == 0 else { throw handle.error(in: statement.sql) }
    }
}
