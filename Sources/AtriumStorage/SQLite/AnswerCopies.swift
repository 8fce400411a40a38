@_spi(Host) internal import AtriumKit
internal import CSQLite

/// The answers of servers that modules keep in their databases.
package enum AnswerCopies {
    /// Removes the answers for all accounts but one from the databases in a folder, also those of modules that are
    /// not loaded.
    ///
    /// - Returns: The errors of the databases in which they stay.
    package static func forget(allBut account: String?, in folder: DataFolder) -> [any Error] {
        (Folder.names(in: folder.path) ?? []).filter { $0.hasSuffix(".sqlite") }.compactMap { name in
            do {
                let database = try PlainConnection(
                    folder.path(name), owner: String(name.dropLast(".sqlite".count)), SQLITE_OPEN_READWRITE)
                let tables = "SELECT name FROM sqlite_schema WHERE name = 'answerCopies'"
                // No change if there is nothing to remove: it would wait for others, and be written to the disk.
                guard try !database.query(tables).isEmpty,
                    try !database.query(
                        "SELECT 1 FROM answerCopies WHERE \(OfflineStore.isOfOthers) LIMIT 1",
                        [account.databaseValue]
                    ).isEmpty
                else { return nil }
                try database.run(
                    "DELETE FROM answerCopies WHERE \(OfflineStore.isOfOthers)", [account.databaseValue])
                return nil
            } catch { return error }
        }
    }
}
