@_spi(Host) internal import AtriumKit
internal import CSQLite

extension DatabaseError {
    /// An error of SQLite about `sql`, or about the file.
    static func sqlite(
        _ failure: SQLiteFailure, at location: DatabaseLocation, sql: String? = nil
    ) -> DatabaseError {
        let (message, hint) =
            switch failure.kind {
            case .databaseLocked: locked(failure, at: location)
            case .databaseCorrupt: corrupt(failure, at: location)
            case .databaseUnwritable: unwritable(failure, at: location)
            case .diskFull: full(failure, at: location)
            case .databaseConstraint: constraint(failure, at: location)
            default: other(failure, at: location, sql: sql)
            }
        return DatabaseError(code: failure.kind, message: message, hint: hint, cause: failure)
    }

    static func uncreatable(_ error: SystemError, at location: DatabaseLocation) -> DatabaseError {
        let (message, hint) = unwritable(error.reason, at: location)
        return DatabaseError(code: .databaseUnwritable, message: message, hint: hint, cause: error)
    }

    /// The open file is no longer the one at the path.
    static func missing(at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseMissing,
            message: "The database of module '\(location.owner)' is gone: \(location.path) was removed or "
                + "replaced while it was open.",
            hint: "Start the host again; earlier changes are in the removed file.")
    }

    private typealias Text = (message: String, hint: String?)

    private static func locked(_ failure: SQLiteFailure, at location: DatabaseLocation) -> Text {
        if failure.primaryCode == SQLITE_LOCKED {
            return (
                "The database of module '\(location.owner)' is locked by its own running query: "
                    + "\(failure.words).",
                "End the query before you change its table."
            )
        }
        return (
            "The database of module '\(location.owner)' is locked by another process.",
            "Close the other process that uses \(location.path), then try again."
        )
    }

    private static func corrupt(_ failure: SQLiteFailure, at location: DatabaseLocation) -> Text {
        (
            "The database of module '\(location.owner)' at \(location.path) is damaged: \(failure.words).",
            "Restore the file from a copy, or move it away to start with an empty one."
        )
    }

    private static func unwritable(_ failure: SQLiteFailure, at location: DatabaseLocation) -> Text {
        guard failure.isFailedWrite else { return unwritable(failure.reason, at: location) }
        return (
            "The database of module '\(location.owner)' at \(location.path) can't be written: "
                + "\(failure.reason).",
            "Check the disk, or start with another folder: --data DIR; existing data is unchanged."
        )
    }

    private static func unwritable(_ reason: String, at location: DatabaseLocation) -> Text {
        (
            "The database of module '\(location.owner)' at \(location.path) can't be opened for writing: "
                + "\(reason).",
            "Check the permissions of the file and its folder, or start with another folder: --data DIR."
        )
    }

    private static func full(_ failure: SQLiteFailure, at location: DatabaseLocation) -> Text {
        (
            "No space is left for the database of module '\(location.owner)' at \(location.path): "
                + "\(failure.reason).",
            "Free some space, then try again; existing data is unchanged."
        )
    }

    private static func constraint(_ failure: SQLiteFailure, at location: DatabaseLocation) -> Text {
        ("The database of module '\(location.owner)' refuses the change: \(failure.words).", nil)
    }

    private static func other(
        _ failure: SQLiteFailure, at location: DatabaseLocation, sql: String?
    ) -> Text {
        let statement = sql.map { " in \"\(SQLExcerpt.of($0))\"" } ?? ""
        return ("The database of module '\(location.owner)' reports\(statement): \(failure.reason).", nil)
    }

    // MARK: - Misuse

    static func writesInsideRead(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse(
            "Module '\(location.owner)' runs a statement that writes inside read; use write", sql)
    }

    static func controlsTransaction(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse(
            "Module '\(location.owner)' can't begin or end a transaction itself: read and write do", sql)
    }

    static func attaches(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse("Module '\(location.owner)' can't attach or detach another database", sql)
    }

    static func notOneStatement(_ sql: String, at location: DatabaseLocation) -> DatabaseError {
        misuse("Module '\(location.owner)' must give exactly one statement", sql)
    }

    static func wrongArguments(
        given: Int, expected: Int, _ sql: String, at location: DatabaseLocation
    ) -> DatabaseError {
        misuse(
            "Module '\(location.owner)' gives \(given) \(given == 1 ? "argument" : "arguments") "
                + "to a statement that takes \(expected)", sql)
    }

    static func connectionEnded(at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure,
            message: "Module '\(location.owner)' uses a database connection after the closure "
                + "that received it has ended.",
            hint: "Call read or write again, and use the connection inside the closure only.")
    }

    static func transactionEnded(at location: DatabaseLocation, by cause: (any Error)?) -> DatabaseError {
        DatabaseError(
            code: .databaseFailure,
            message: "The transaction of module '\(location.owner)' was rolled back by an earlier failure.",
            hint: "Rethrow the error of the failed statement from the closure.",
            cause: cause)
    }

    static func invalidText(in column: DatabaseRow.Column) -> DatabaseError {
        let table = column.table.map { " of table '\($0)'" } ?? ""
        return DatabaseError(
            code: .databaseMismatch,
            message: "Column '\(column.name)'\(table) holds a text that is not valid UTF-8.",
            hint: "The row was not written by this version of the module.")
    }

    private static func misuse(_ sentence: String, _ sql: String) -> DatabaseError {
        DatabaseError(code: .databaseFailure, message: "\(sentence): \"\(SQLExcerpt.of(sql))\".")
    }

    // MARK: - Migrations

    static func newer(version: Int, known: Int, at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseNewer,
            message: "The database of module '\(location.owner)' at \(location.path) has version \(version), "
                + "but this build of the module knows versions up to \(known).",
            hint: "Update module \(location.owner), or start with another folder: --data DIR.")
    }

    static func invalidVersion(_ version: Int, at location: DatabaseLocation) -> DatabaseError {
        .sqlite(SQLiteFailure(resultCode: SQLITE_CORRUPT, words: "its version is \(version)"), at: location)
    }

    static func migration(
        _ migration: Migration, failed failure: SQLiteFailure, at location: DatabaseLocation
    ) -> DatabaseError {
        DatabaseError(
            code: failure.kind,
            message: "Migration \(migration.version) '\(migration.name)' of module '\(location.owner)' "
                + "failed: \(failure.reason).",
            hint: "The database stays at version \(migration.version - 1): \(location.path).",
            cause: failure)
    }
}

/// A statement in a message.
enum SQLExcerpt {
    private static let limit = 160

    /// The text on one line, truncated.
    static func of(_ sql: String) -> String {
        let line = sql.split { $0.isWhitespace || $0 == "\0" }.joined(separator: " ")
        return line.count > limit ? line.prefix(limit) + "…" : line
    }
}

/// The owner and file of a database.
struct DatabaseLocation: Sendable, Hashable {
    let owner: String
    let path: String

    /// A path that SQLite never takes for something else, such as `:memory:`.
    var filePath: String {
        path.hasPrefix("/") ? path : "./" + path
    }
}
