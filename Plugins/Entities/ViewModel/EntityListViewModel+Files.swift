import AtriumKit

extension EntityListViewModel {
    /// The import or export that is under way; nil where there is none.
    var transfer: EntityTransfer? { transfers.current }

    /// Creates an entity for each row of a file, or none at all, and lists them.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - format: Its format; told by its name unless given.
    /// - Returns: The list, and how many were created.
    /// - Throws: ``EntityFileError``; nothing is created then, nor where the command is cancelled.
    func importFile(_ path: String, format: EntityFile.Format?) async throws -> ActionResult {
        let file = try EntityFile(path, format: format)
        let count = try await transfers.run("Importing \(path)") { [model] in
            try await model.importEntities(from: file, progress: $0)
        }
        try await load()
        return .updated("Imported \(Self.entities(count)) from '\(path)'.")
    }

    /// Writes every entity into a file.
    ///
    /// - Parameters:
    ///   - path: Where the file is to be.
    ///   - format: Its format; told by its name unless given.
    ///   - replaces: Whether a file that is there is replaced.
    /// - Returns: The list, and how many were written.
    /// - Throws: ``EntityFileError``; what was at the path before is still there then, and where the command
    ///   is cancelled.
    func exportFile(
        _ path: String, format: EntityFile.Format?, replaces: Bool
    ) async throws -> ActionResult {
        let file = try EntityFile(path, format: format, isReplaced: replaces)
        let count = try await transfers.run("Exporting to \(path)") { [model] in
            try await model.exportEntities(to: file, progress: $0)
        }
        return .updated("Exported \(Self.entities(count)) to '\(path)'.")
    }

    private static func entities(_ count: Int) -> String {
        count == 1 ? "1 entity" : "\(count) entities"
    }
}
