@_spi(Host) internal import AtriumKit

extension DatabaseError {
    /// A statement that writes, in a closure that only reads.
    static func writesInsideRead(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse(
            "Module '\(location.owner)' runs a statement that writes inside read; use write", sql)
    }

    /// `BEGIN`, `COMMIT` or `ROLLBACK` in a closure.
    static func controlsTransaction(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse(
            "Module '\(location.owner)' can't begin or end a transaction itself: read and write do", sql)
    }

    /// `ATTACH` or `DETACH` in a closure.
    static func attaches(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse("Module '\(location.owner)' can't attach or detach another database", sql)
    }

    /// More than one statement in a text, or none.
    static func notOneStatement(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse("Module '\(location.owner)' must give exactly one statement", sql)
    }

    /// More or fewer arguments than the statement has parameters.
    static func wrongArguments(
        given: Int, wanted: Int, _ sql: String, at location: DatabaseLocation
    ) -> DatabaseError {
        misuse(
            "Module '\(location.owner)' gives \(given) \(given == 1 ? "argument" : "arguments") "
                + "to a statement that takes \(wanted)", sql)
    }

    /// The connection left the closure that received it.
    static func connectionEnded(at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure,
            message: "Module '\(location.owner)' uses a database connection after the closure "
                + "that received it has ended.",
            hint: "Call read or write again, and use the connection inside the closure only.")
    }

    /// A statement after one whose failure has ended the transaction.
    static func transactionEnded(at location: DatabaseLocation, by cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure,
            message: "The transaction of module '\(location.owner)' was rolled back by an earlier failure.",
            hint: "Let the error of the failing statement end the closure.",
            cause: cause)
    }

    /// A text whose bytes are not UTF-8.
    static func invalidText(in column: DatabaseRow.Column) -> DatabaseError {
        let table = column.table.map { " of table '\($0)'" } ?? ""
        return DatabaseError(
            code: .databaseMismatch,
            message: "Column '\(column.name)'\(table) holds a text that is not valid UTF-8.",
            hint: "The row was written by something else than this module, or by another version of it.")
    }

    private static func misuse(_ sentence: String, _ sql: String) -> DatabaseError {
        DatabaseError(code: .databaseFailure, message: "\(sentence): \"\(SQLExcerpt.of(sql))\".")
    }
}
