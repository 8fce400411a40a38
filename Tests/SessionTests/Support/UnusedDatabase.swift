import AtriumKit
import Testing

/// A database that fails the test if it is used.
struct UnusedDatabase: Database {
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        Issue.record("The database is read.")
        throw CancellationError()
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        Issue.record("The database is written.")
        throw CancellationError()
    }
}
