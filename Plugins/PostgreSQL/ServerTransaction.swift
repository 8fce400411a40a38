@_spi(Host) import AtriumKit
import Synchronization

/// The connection of a `read` or `write` closure.
final class ServerTransaction: DatabaseConnection {
    let dialect = Dialect.postgresql
    private let connection: ServerConnection
    private let schema: String
    private let explainer: Explainer
    private let cancellation: Cancellation
    /// The failure after which the server refuses everything but the rollback.
    private(set) var failure: ServerFailure?
    private(set) var announcements: [Announcement] = []
    /// Atomic, as a connection that escaped its closure may be used on any thread.
    private let isEnded = Atomic(false)

    init(_ connection: ServerConnection, _ migrator: Migrator, _ cancellation: Cancellation) {
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
        /// The statements of the run before, which this one repeats.
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

    private func run(_ sql: String, _ arguments: [DatabaseValue]) throws -> ServerResult {
        guard !isEnded.load(ordering: .relaxed) else {
            throw DatabaseError.connectionEnded(of: explainer.owner)
        }
        try cancellation.check()
        #if DEBUG
            try checkRepetition(sql)
        #endif
        if let failure { throw DatabaseError.transactionEnded(of: explainer.owner, by: failure) }
        do {
            let statement = try connection.prepared(sql, in: schema, cancellation)
            guard arguments.count == statement.parameterCount else {
                throw DatabaseError.wrongCount(
                    of: arguments.count, expected: statement.parameterCount, in: sql, of: explainer.owner)
            }
            // A text ends at its first zero there.
            guard !arguments.contains(where: \.hasZero) else {
                throw DatabaseError.misuse(
                    of: explainer.owner, "stores a text with U+0000, which PostgreSQL has not", sql)
            }
            return try connection.run(statement, arguments, cancellation)
        } catch let error as DatabaseError {
            throw error
        } catch let failure as ServerFailure {
            self.failure = failure
            throw explainer.error(failure, in: sql)
        } catch {
            failure = ServerFailure(state: "57014", words: "cancelled")
            throw error
        }
    }
}

extension DatabaseValue {
    fileprivate var hasZero: Bool { if case .text(let text) = self { text.utf8.contains(0) } else { false } }
}
