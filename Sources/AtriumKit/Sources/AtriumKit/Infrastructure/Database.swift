/// A module's own database, reached only through closures.
///
/// Each module has one; its tables are the module's ``FeatureModule/migrations`` and no other module
/// sees them. It opens when it is first used, off the main actor.
/// The requirements are `nonisolated(nonsending)` so that a call goes from the caller's actor to the database
/// and back; as plain asynchronous ones they would pass the global pool both ways, which doubles the cost of
/// a small read from the main actor. Implementations need not repeat it.
public protocol Database: Sendable {
    /// Runs `body`, which only reads, on one consistent state; may run it again from the start if it takes
    /// long.
    ///
    /// Cancelling the calling task interrupts the statement. Throws ``DatabaseError``, or the error of
    /// `body`.
    nonisolated(nonsending) func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value

    /// Runs `body` inside one transaction: durably committed when this returns, rolled back when it throws.
    ///
    /// A database that many hosts use may refuse a transaction as a conflict with another one, and then runs
    /// `body` again from the start: it must have no effects besides those on the connection.
    @discardableResult
    nonisolated(nonsending) func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value
}

/// A connection, valid inside the closure that received it.
///
/// In statements each `?` is an argument, in order, whatever the dialect.
public protocol DatabaseConnection {
    /// The dialect of its statements.
    var dialect: Dialect { get }

    /// Runs one statement, prepared once per text; returns how many rows it inserted, changed or deleted.
    @discardableResult
    func execute(_ sql: String, _ arguments: [DatabaseValue]) throws -> Int

    /// Runs one query, or one change with `RETURNING`, and decodes each row as it arrives.
    ///
    /// ```swift
    /// let id: Int? = try connection.first("INSERT INTO notes (text) VALUES (?) RETURNING id", [text]) {
    ///     try $0.value(0)
    /// }
    /// ```
    func query<Value>(
        _ sql: String, _ arguments: [DatabaseValue], decode: (DatabaseRow) throws -> Value
    ) throws -> [Value]

    /// Inserts the rows that `rows` passes to its argument, as fast as the engine can; returns how many.
    ///
    /// Each row has a value per column. Until `rows` returns, the connection runs no other statement.
    func insert(
        into table: String, _ columns: [String],
        rows: (_ add: ([DatabaseValue]) throws -> Void) throws -> Void
    ) throws -> Int

    /// Announces a change once the transaction is committed; ``announce(_:key:)`` is shorter.
    func announce(_ announcement: Announcement)
}

/// The SQL that an engine understands; later hosts may add more.
public enum Dialect: String, Sendable, Hashable {
    case sqlite
    case postgresql
}

extension DatabaseConnection {
    /// Announces a change to every host that uses the database, once the transaction is committed.
    ///
    /// Repositories are notified through ``RepositoryContext/changes(_:)``. A topic is a name such as
    /// `entities`, a key one of its items such as an id; without a key, all of them may have changed.
    public func announce(_ topic: String, key: String? = nil) {
        announce(Announcement(topic: topic, key: key))
    }

    /// Does nothing, by default.
    public func announce(_ announcement: Announcement) {}

    /// Inserts row by row, by default, with one prepared statement.
    public func insert(
        into table: String, _ columns: [String],
        rows: (_ add: ([DatabaseValue]) throws -> Void) throws -> Void
    ) throws -> Int {
        let placeholders = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let sql = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(placeholders))"
        var count = 0
        try rows { count += try execute(sql, $0) }
        return count
    }

    /// Runs one statement without arguments.
    @discardableResult
    public func execute(_ sql: String) throws -> Int { try execute(sql, []) }

    /// Returns the first row of a query, or nil if there is none.
    public func first<Value>(
        _ sql: String, _ arguments: [DatabaseValue] = [], decode: (DatabaseRow) throws -> Value
    ) throws -> Value? {
        try query(sql, arguments, decode: decode).first
    }
}

/// One step of a module's tables from one version to the next.
public struct Migration: Sendable, Hashable {
    /// The version that the database has afterwards; 1 for the first.
    public let version: Int
    /// The purpose of the step, for error messages: "create entities".
    public let name: String
    private let statements: [Dialect: String]
    private let portable: String?
    /// True if builds that don't know the step work with the tables after it.
    public private(set) var isBackwardCompatible = false

    /// Creates a step whose statements all engines understand: separated by semicolons, all in one
    /// transaction.
    public init(_ version: Int, _ name: String, sql: String) {
        (self.version, self.name) = (version, name)
        (portable, statements) = (sql, [:])
    }

    /// Creates a step with a variant per engine; on an engine without one the module is refused.
    public init(_ version: Int, _ name: String, sqlite: String? = nil, postgresql: String? = nil) {
        (self.version, self.name) = (version, name)
        var statements: [Dialect: String] = [:]
        statements[.sqlite] = sqlite
        statements[.postgresql] = postgresql
        (portable, self.statements) = (nil, statements)
    }

    /// Returns the step marked as one after which older builds of the module work as before: it adds a table,
    /// an index, or a column with a default.
    ///
    /// A rollout moves hosts to a new build one by one, so both builds work on the same tables meanwhile; it
    /// refuses a build with an unmarked step.
    public func backwardCompatible() -> Migration {
        var marked = self
        marked.isBackwardCompatible = true
        return marked
    }

    /// True if all engines run the same statements.
    @_spi(Host) public var isPortable: Bool { portable != nil }

    /// Returns the statements for an engine; nil if there is no variant for it.
    public func sql(for dialect: Dialect) -> String? { portable ?? statements[dialect] }
}
