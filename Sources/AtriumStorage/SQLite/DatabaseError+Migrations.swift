@_spi(Host) internal import AtriumKit
internal import CSQLite

extension DatabaseError {
    /// The file was written by a newer build of the module than the one at hand.
    static func newer(version: Int, known: Int, at location: DatabaseLocation) -> DatabaseError {
        DatabaseError(
            code: .databaseNewer,
            message: "The database of module '\(location.owner)' at \(location.path) has version \(version), "
                + "but this build of the module knows versions up to \(known).",
            hint: "Update module \(location.owner), or start with another folder: --data DIR.")
    }

    /// The file has a version that no build of a module gives it.
    static func invalidVersion(_ version: Int, at location: DatabaseLocation) -> DatabaseError {
        .sqlite(SQLiteFailure(resultCode: SQLITE_CORRUPT, words: "its version is \(version)"), at: location)
    }

    /// A migration that was rolled back.
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
