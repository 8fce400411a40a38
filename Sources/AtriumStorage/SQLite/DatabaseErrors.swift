@_spi(Host) internal import AtriumKit
internal import CSQLite

extension DatabaseError {
    /// An error of SQLite about `sql`, or about the file.
    static func sqlite(
        _ failure: SQLiteFailure, at location: DatabaseLocation, sql: String? = nil
    ) -> DatabaseError {
        let database = "The database of module '\(location.owner)'"
        let file = "\(database) at \(location.path)"
        let message: String
        var hint: String?
        switch failure.kind {
        case .databaseLocked where failure.primaryCode == SQLITE_LOCKED:
            message = "\(database) is locked by its own running query: \(failure.words)."
            hint = "End the query before you change its table."
        case .databaseLocked:
            message = "\(database) is locked by another process."
            hint = "Close the other process that uses \(location.path), then try again."
        case .databaseCorrupt:
            message = "\(file) is damaged: \(failure.words)."
            hint = "Restore the file from a copy, or move it away to start with an empty one."
        case .databaseUnwritable where failure.isFailedWrite:
            message = "\(file) can't be written: \(failure.reason)."
            hint = "Check the disk, or start with another folder: --data DIR; existing data is unchanged."
        case .databaseUnwritable:
            // SQLite tries a second time, for reading only, and reports the error of that.
            guard failure.primaryCode == SQLITE_CANTOPEN, location.isOutOfSpace else {
                return unwritable(failure.reason, at: location, cause: failure)
            }
            return full(failure, "no file can be created beside it", at: location)
        case .diskFull: return full(failure, failure.reason, at: location)
        case .uniqueViolation, .foreignKeyViolation, .checkViolation, .notNullViolation, .databaseConstraint:
            message = "\(database) refuses the change: \(failure.words)."
        default:
            let statement = sql.map { " in \"\(excerpt(of: $0))\"" } ?? ""
            message = "\(database) reports\(statement): \(failure.reason)."
        }
        return DatabaseError(code: failure.kind, message: message, hint: hint, cause: failure)
    }

    private static func full(
        _ failure: SQLiteFailure, _ reason: String, at location: DatabaseLocation
    ) -> DatabaseError {
        DatabaseError(
            code: .diskFull,
            message: "No space is left for the database of module '\(location.owner)' at \(location.path): "
                + "\(reason).",
            hint: "Free some space, then try again; existing data is unchanged.", cause: failure)
    }

    /// The file can't be created or opened.
    static func unwritable(
        _ reason: String, at location: DatabaseLocation, cause: any Error
    ) -> DatabaseError {
        DatabaseError(
            code: .databaseUnwritable,
            message: "The database of module '\(location.owner)' at \(location.path) can't be opened for "
                + "writing: \(reason).",
            hint:
                "Check the permissions of the file and its folder, or start with another folder: --data DIR.",
            cause: cause)
    }

    /// The file can't be created.
    static func uncreatable(_ error: FileError, at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: error.code == .diskFull ? .diskFull : .databaseUnwritable,
            message: "The database of module '\(location.owner)' can't be created. \(error.message)",
            hint: error.hint, cause: error)
    }

    /// A link replaced the file, and the log with the latest changes is still beside the link.
    static func separated(from log: String, at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseUnwritable,
            message: "The database of module '\(location.owner)' at \(location.path) can't be opened: "
                + "it is a link, but its latest changes are in \(log).",
            hint: "Move the file back in place of the link, or the log beside the file.")
    }

    /// The open file is no longer the one at the path.
    static func missing(at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseMissing,
            message: "The database of module '\(location.owner)' is gone: \(location.path) was removed or "
                + "replaced while it was open.",
            hint: "Start the host again; earlier changes are in the removed file.")
    }

    /// The module has stored nothing yet, or has no tables.
    static func notMade(of owner: String) -> DatabaseError {
        DatabaseError(
            code: .notFound, message: "Module '\(owner)' has no database here.",
            hint: "It is made when the module first uses it, in environment local.")
    }

    // MARK: - Misuse

    static func invalidText(in column: DatabaseRow.Column) -> DatabaseError {
        let table = column.table.map { " of table '\($0)'" } ?? ""
        return DatabaseError(
            code: .databaseMismatch,
            message: "Column '\(column.name)'\(table) holds a text that is not valid UTF-8.",
            hint: "The row was not written by this version of the module.")
    }

    // MARK: - Migrations

    static func newer(version: Int, known: Int, at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseNewer,
            message: "The database of module '\(location.owner)' at \(location.path) has version \(version), "
                + "but this build of the module knows versions up to \(known).",
            hint: "Update module \(location.owner), or start with another folder: --data DIR.")
    }

    static func changedMigrations(to version: Int, at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: "badMigrations",
            message:
                "The migrations of module '\(location.owner)' up to \(version) are not those that made its "
                + "tables at \(location.path).",
            hint: "Add another migration instead; try one that is being written with --data DIR.")
    }

    static func migration(
        _ migration: Migration, failed failure: SQLiteFailure, at location: DatabaseLocation,
        stays version: Int
    ) -> DatabaseError {
        DatabaseError(
            code: failure.kind,
            message: "Migration \(migration.version) '\(migration.name)' of module '\(location.owner)' "
                + "failed: \(failure.reason).",
            hint: "The database stays at version \(version): \(location.path).",
            cause: failure)
    }

}

/// The owner and file of a database.
struct DatabaseLocation: Sendable, Hashable {
    let owner: String
    let path: String

    /// A path that SQLite never takes for something else, such as `:memory:`.
    var filePath: String { path.hasPrefix("/") ? path : "./" + path }

    /// True if no further file can be written beside the database for lack of space.
    var isOutOfSpace: Bool {
        do throws(FileError) {
            let probe = try AtomicFile(filePath, replaces: true)
            try probe.write([0])
            return false
        } catch {
            return error.code == .diskFull
        }
    }
}
