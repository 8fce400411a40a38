/// An error of a ``Database``.
public struct DatabaseError: ExplainedError {
    /// A code such as `databaseLocked`, `uniqueViolation` or `diskFull`.
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    /// The underlying failure, such as that of an earlier statement in the transaction; nil if there is none.
    public let cause: (any Error)?

    @_spi(Host) public init(
        code: ErrorCode, message: String, hint: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
    }

    static func mismatch(column: DatabaseRow.Column, expected: String, found: DatabaseValue) -> DatabaseError
    {
        let table = column.table.map { " of table '\($0)'" } ?? ""
        return DatabaseError(
            code: .databaseMismatch,
            message: "Column '\(column.name)'\(table) holds a value of type \(found.storageClass), "
                + "but \(expected) is expected.",
            hint: "The row was written by something else than this module, or by another version of it.")
    }

    static func noColumn(_ name: String, among columns: [String]) -> DatabaseError {
        DatabaseError(
            code: .databaseMismatch,
            message: "The query has no column '\(name)'; it has \(columns.joined(separator: ", ")).")
    }
}

extension ErrorCode {
    /// A value does not fit the type that it is read as.
    public static let databaseMismatch: ErrorCode = "databaseMismatch"
    /// Another process holds the database longer than the busy timeout.
    public static let databaseLocked: ErrorCode = "databaseLocked"
    /// The file is not a database, or is damaged.
    public static let databaseCorrupt: ErrorCode = "databaseCorrupt"
    /// The database was written by a newer version of the module.
    public static let databaseNewer: ErrorCode = "databaseNewer"
    /// The file cannot be opened or written.
    public static let databaseUnwritable: ErrorCode = "databaseUnwritable"
    /// No space is left for the data.
    public static let diskFull: ErrorCode = "diskFull"
    /// A value that must be unique exists already.
    public static let uniqueViolation: ErrorCode = "uniqueViolation"
    /// A row refers to a missing one, or others still refer to it.
    public static let foreignKeyViolation: ErrorCode = "foreignKeyViolation"
    /// A value breaks a `CHECK`.
    public static let checkViolation: ErrorCode = "checkViolation"
    /// A required value is missing.
    public static let notNullViolation: ErrorCode = "notNullViolation"
    /// A change breaks another rule of the table, such as a trigger's.
    public static let databaseConstraint: ErrorCode = "databaseConstraint"
    /// The module has no statements for the engine of the database.
    public static let databaseUnsupported: ErrorCode = "databaseUnsupported"
    /// The server can't be reached, or the connection to it was lost before anything was committed.
    public static let databaseUnreachable: ErrorCode = "databaseUnreachable"
    /// Other transactions kept changing the same data.
    public static let databaseConflict: ErrorCode = "databaseConflict"
    /// The answer to a commit was lost, and whether it succeeded can't be determined.
    public static let databaseOutcomeUnknown: ErrorCode = "databaseOutcomeUnknown"
    /// Any other failure; the message quotes the engine.
    public static let databaseFailure: ErrorCode = "databaseFailure"
}
