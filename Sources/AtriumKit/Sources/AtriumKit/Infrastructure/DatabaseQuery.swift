/// A query that a user typed, run on a connection that can't change anything.
@_spi(Host) public struct DatabaseQuery: Sendable {
    /// One `SELECT` or `VALUES`; nil to list the tables with their columns.
    public let sql: String?
    /// The most rows to return.
    public let limit: Int
    /// True to return the database's plan instead of the rows.
    public let isPlan: Bool
    /// The names of declared secret fields, in lower case.
    private let secrets: Set<String>

    public init(_ sql: String?, limit: Int, isPlan: Bool = false, secrets: Set<String> = []) {
        (self.sql, self.limit, self.isPlan) = (sql, limit, isPlan)
        self.secrets = Set(secrets.map { $0.lowercased() })
    }

    /// True for a column that no query may use: a declared secret, or one that is named like a secret.
    public func hides(_ column: String) -> Bool {
        SecretField(column).isSecret || secrets.contains(column.lowercased())
    }

    /// The time after which a query is ended.
    public static let timeLimit = Duration.seconds(10)
}

/// The rows of a ``DatabaseQuery``.
@_spi(Host) public struct DatabaseAnswer: Sendable {
    public let columns: [String]
    public private(set) var rows: [[DatabaseValue]] = []
    /// True if there were more rows than the limit, or they were too large.
    public private(set) var isCut = false
    private let limit: Int
    private var size = 0

    public init(_ columns: [String], limit: Int) { (self.columns, self.limit) = (columns, limit) }

    /// The most bytes of texts and blobs.
    private static let mostBytes = 4 << 20

    /// Adds a row.
    ///
    /// - Returns: False if no more are needed.
    public mutating func add(_ row: [DatabaseValue]) -> Bool {
        size += row.reduce(0) { size, value in
            switch value {
            case .text(let text): size + text.utf8.count
            case .blob(let bytes): size + bytes.count
            case .null, .integer, .real: size
            }
        }
        isCut = rows.count == limit || size > Self.mostBytes
        if !isCut { rows.append(row) }
        return !isCut
    }
}

extension DatabaseError {
    /// The error for a query that uses a column with secrets.
    @_spi(Host)
    public static func hidden(_ column: String, of table: String, in owner: String) -> DatabaseError {
        DatabaseError(
            code: "hiddenColumn",
            message: "Column '\(column)' of table '\(table)' of module '\(owner)' may hold secrets, "
                + "so no query can use it.",
            hint: "Name the other columns instead of '*'.")
    }

    /// The error for a query that does more than read the module's tables.
    @_spi(Host) public static func notReading(
        _ what: String, of owner: String, cause: (any Error)? = nil
    ) -> DatabaseError {
        DatabaseError(
            code: "notReading", message: "The query of module '\(owner)' \(what).",
            hint: "Give one SELECT of the module's tables.", cause: cause)
    }

    /// The error for a query whose rows would fill the memory.
    @_spi(Host) public static func tooLarge(of owner: String) -> DatabaseError {
        DatabaseError(
            code: "tooLarge",
            message: "The query of module '\(owner)' has more than 100 columns, "
                + "or a value of more than 1 MB.",
            hint: "Name the columns that you need; of a large one, take its length().")
    }

    /// The error for a query that takes too long.
    @_spi(Host) public static func tooSlow(of owner: String, cause: any Error) -> DatabaseError {
        DatabaseError(
            code: .timedOut,
            message: "The query of module '\(owner)' was ended after 10 seconds.",
            hint: "Select fewer rows, or see '--explain'.", cause: cause)
    }
}

extension DatabaseRow {
    /// Its values, in the order of the columns.
    @_spi(Host) public var all: [DatabaseValue] { values }
}
