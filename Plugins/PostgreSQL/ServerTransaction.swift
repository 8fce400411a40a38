@_spi(Host) import AtriumKit
import Synchronization

/// The connection of a `read` or `write` closure.
final class ServerTransaction: DatabaseConnection {
    let dialect = Dialect.postgresql
    private let connection: ServerConnection
    private let schema: String
    private let explainer: Explainer
    private let cancellation: Cancellation
    private let isReading: Bool
    /// The failure after which the server refuses everything but the rollback.
    private(set) var failure: ServerFailure?
    private(set) var announcements: [Announcement] = []
    /// Atomic, as a connection that escaped its closure may be used on any thread.
    private let isEnded = Atomic(false)

    /// The time until which it may lock others out; nil if it locks none out.
    private let deadline: ContinuousClock.Instant?
    /// True if the transaction needs no conflict detection as long as it only inserts rows.
    private let insertsUnchecked: Bool
    private var isUnchecked = false

    init(
        _ connection: ServerConnection, _ migrator: Migrator, _ cancellation: Cancellation, isReading: Bool,
        insertsUnchecked: Bool = false, deadline: ContinuousClock.Instant? = nil
    ) {
        self.deadline = deadline
        self.insertsUnchecked = insertsUnchecked
        self.isReading = isReading
        self.connection = connection
        schema = migrator.schema
        explainer = migrator.explainer
        self.cancellation = cancellation
    }

    func end() { isEnded.store(true, ordering: .relaxed) }

    func announce(_ announcement: Announcement) { announcements.append(announcement) }

    @discardableResult
    func execute(_ sql: String, _ arguments: [DatabaseValue]) throws -> Int {
        try run(sql, arguments).changes
    }

    func query<Value>(
        _ sql: String, _ arguments: [DatabaseValue], decode: (DatabaseRow) throws -> Value
    ) throws -> [Value] {
        try run(sql, arguments).rows(decode)
    }

    #if DEBUG
        /// The statements of the previous run, which this one repeats.
        private var expected: ArraySlice<String> = []
        private var done: [String] = []
        private var isRepetition = false

        func repeats() {
            (expected, done, isRepetition) = (done[...], [], true)
            announcements = []
        }

        private func checkRepetition(_ sql: String) throws {
            if isRepetition, expected.popFirst() != sql {
                throw DatabaseError.misuse(
                    of: explainer.owner,
                    "does something else when its transaction is run again, so it has other effects than its "
                        + "statements; this one is another one", sql)
            }
            done.append(sql)
        }
    #endif

    func insert(
        into table: String, _ columns: [String],
        rows: (_ add: ([DatabaseValue]) throws -> Void) throws -> Void
    ) throws -> Int {
        let sql = "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN"
        return try attempt(sql) {
            if insertsUnchecked, connection.skipConflictDetection() { isUnchecked = true }
            try connection.beginCopy(sql, cancellation)
            do {
                var text = CopyText()
                try rows { row in
                    try cancellation.check()
                    try checkTime()
                    try check(row, columns.count, sql)
                    text.append(row)
                    guard text.count > Self.chunk else { return }
                    try connection.copy(text)
                    text.removeAll()
                }
                if text.count > 0 { try connection.copy(text) }
            } catch {
                connection.cancelCopy()
                failure =
                    error as? ServerFailure
                    ?? ServerFailure(state: "57014", words: "its rows ended with an error")
                throw error
            }
            return try connection.endCopy(cancellation).changes
        }
    }

    private func checkTime() throws {
        if let deadline, .now > deadline { throw ServerFailure.tooLongAlone }
    }

    /// The protocol counts arguments in two bytes.
    private static let mostArguments = 65_535

    /// The number of bytes of rows sent at once.
    private static let chunk = 64 << 10

    private func run(_ sql: String, _ arguments: [DatabaseValue]) throws -> ServerResult {
        try attempt(sql) {
            if isUnchecked { throw ServerFailure.unchecked }
            let statement = try connection.statement(sql, in: schema)
            try check(arguments, statement.parameterCount, sql)
            return try connection.run(statement, arguments, cancellation)
        }
    }

    private func check(_ values: [DatabaseValue], _ count: Int, _ sql: String) throws {
        guard values.count == count else {
            throw DatabaseError.wrongCount(of: values.count, expected: count, in: sql, of: explainer.owner)
        }
        guard count <= Self.mostArguments else {
            throw DatabaseError.misuse(
                of: explainer.owner, "has \(count) arguments, and PostgreSQL takes \(Self.mostArguments)", sql
            )
        }
        // PostgreSQL ends a text at its first zero byte.
        guard values.contains(where: \.hasZero) else { return }
        throw DatabaseError.misuse(
            of: explainer.owner, "stores a text with U+0000, which PostgreSQL has not", sql)
    }

    private func attempt<Result>(_ sql: String, _ body: () throws -> Result) throws -> Result {
        guard !isEnded.load(ordering: .relaxed) else {
            throw DatabaseError.connectionEnded(of: explainer.owner)
        }
        try cancellation.check()
        #if DEBUG
            try checkRepetition(sql)
        #endif
        if let failure { throw DatabaseError.transactionEnded(of: explainer.owner, by: failure) }
        do {
            try checkTime()
            return try body()
        } catch let error as DatabaseError {
            throw error
        } catch let failure as ServerFailure {
            self.failure = failure
            throw explainer.error(failure, in: sql, isReading: isReading)
        } catch {
            failure = ServerFailure(state: "57014", words: "cancelled")
            throw error
        }
    }
}

extension DatabaseValue {
    fileprivate var hasZero: Bool { if case .text(let text) = self { text.utf8.contains(0) } else { false } }
}
