@_spi(Host) internal import AtriumKit
internal import CSQLite

extension DatabaseError {
    /// The error for what SQLite reported about `sql`, or about the file where that is nil.
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

    /// The file or a folder above it cannot be made.
    static func uncreatable(_ error: SystemError, at location: DatabaseLocation) -> DatabaseError {
        let (message, hint) = unwritable(error.reason, at: location)
        return DatabaseError(code: .databaseUnwritable, message: message, hint: hint, cause: error)
    }

    /// The file that is open is not the one at the path any more.
    static func missing(at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseMissing,
            message: "The database of module '\(location.owner)' is gone: \(location.path) was removed or "
                + "replaced while it was open.",
            hint: "Start the host again; what was written before is in the file that was removed.")
    }

    private typealias Text = (message: String, hint: String?)

    private static func locked(_ failure: SQLiteFailure, at location: DatabaseLocation) -> Text {
        if failure.primaryCode == SQLITE_LOCKED {
            return (
                "The database of module '\(location.owner)' is locked by a query of its own that still runs: "
                    + "\(failure.words).",
                "Let the query end before its table is changed."
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
            "Put a copy of the file in its place, or move it away to begin with an empty one."
        )
    }

    private static func unwritable(_ failure: SQLiteFailure, at location: DatabaseLocation) -> Text {
        guard failure.isFailedWrite else { return unwritable(failure.reason, at: location) }
        return (
            "The database of module '\(location.owner)' at \(location.path) can't be written: "
                + "\(failure.reason).",
            "Check the disk, or start with another folder: --data DIR; what was there before is unchanged."
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
            "Free some space, then try again; what was there before is unchanged."
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
}
