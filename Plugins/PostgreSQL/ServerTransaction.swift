import AtriumKit
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
    /// Atomic, as a connection that escaped its closure may be used on any thread.
    private let isEnded = Atomic(false)

    init(_ connection: ServerConnection, _ migrator: Migrator, _ cancellation: Cancellation) {
        self.connection = connection
        schema = migrator.schema
        explainer = migrator.explainer
        self.cancellation = cancellation
    }

    func end() { isEnded.store(true, ordering: .relaxed) }

    @discardableResult
    func execute(_ sql: String, _ arguments: [DatabaseValue]) throws -> Int {
        try run(sql, arguments).changes
    }

    func query<Value>(
        _ sql: String, _ arguments: [DatabaseValue], decode: (DatabaseRow) throws -> Value
    ) throws -> [Value] {
        try run(sql, arguments).rows(decode)
    }

    private func run(_ sql: String, _ arguments: [DatabaseValue]) throws -> ServerResult {
        guard !isEnded.load(ordering: .relaxed) else { throw explainer.connectionEnded }
        try cancellation.check()
        if let failure { throw explainer.transactionEnded(by: failure) }
        do {
            let statement = try connection.prepared(sql, in: schema, cancellation)
            let expected = statement.parameterCount
            guard arguments.count == expected else {
                let given = arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments"
                throw explainer.misuse("gives \(given) to a statement that takes \(expected)", sql)
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
