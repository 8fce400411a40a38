/// A module's own database, reached only through closures.
///
/// Each module has one; its tables are the module's ``FeatureModule/migrations`` and no other module
/// sees them. It opens when it is first used, off the main actor.
///
/// The requirements are `nonisolated(nonsending)` so that a call goes from the caller's actor to the
/// database and back; as plain asynchronous ones they would pass the global pool on both ways, which
/// doubles the cost of a small read from the main actor. Implementations need not repeat it.
public protocol Database: Sendable {
    /// Runs `body` with a connection on which it reads one consistent state.
    ///
    /// A body that turns out to take long is run again from its start, with time; so it only reads.
    ///
    /// Cancelling the calling task interrupts the running statement and throws `CancellationError`.
    ///
    /// - Throws: ``DatabaseError``, or what `body` throws.
    nonisolated(nonsending) func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value

    /// Runs `body` inside one transaction: committed durably when it returns, rolled back when it throws.
    ///
    /// When this returns, what was written survives the end of the process and of the machine.
    ///
    /// - Throws: ``DatabaseError``, or what `body` throws; the database is then as it was before.
    nonisolated(nonsending) func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value
}

/// A connection, valid inside the closure that received it.
public protocol DatabaseConnection {
    /// Runs one statement that returns no rows; statements are prepared once per text.
    ///
    /// - Returns: How many rows it inserted, changed or deleted.
    @discardableResult
    func execute(_ sql: String, _ arguments: [DatabaseValue]) throws -> Int

    /// Runs one query and decodes each row as it arrives.
    func query<Value>(
        _ sql: String, _ arguments: [DatabaseValue], decode: (DatabaseRow) throws -> Value
    ) throws -> [Value]

    /// The row id of the last insert on this connection.
    var lastInsertedRowID: Int64 { get }
}

extension DatabaseConnection {
    /// Runs one statement without arguments.
    @discardableResult
    public func execute(_ sql: String) throws -> Int {
        try execute(sql, [])
    }

    /// The first row of a query, or nil if there is none.
    public func first<Value>(
        _ sql: String, _ arguments: [DatabaseValue] = [], decode: (DatabaseRow) throws -> Value
    ) throws -> Value? {
        try query(sql, arguments, decode: decode).first
    }
}

/// One step of a module's tables from a version to the next.
public struct Migration: Sendable, Hashable {
    /// The version that the database has afterwards; 1 for the first.
    public let version: Int
    /// What it does, for error messages: "create entities".
    public let name: String
    /// The statements, separated by semicolons; all of them run in one transaction.
    public let sql: String

    public init(_ version: Int, _ name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}
