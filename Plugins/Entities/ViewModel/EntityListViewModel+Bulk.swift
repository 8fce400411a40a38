import AtriumKit

// Commands of a list that affect many entities.

extension EntityListViewModel {
    var transfer: Progress? { transfers.current }

    var deletionQuestion: String? {
        guard total > 0 else { return nil }
        let category = query.category.map { " in category '\($0)'" } ?? ""
        let search = query.search.map { " that \(total == 1 ? "matches" : "match") '\($0)'" } ?? ""
        let what = total == 1 ? "the only entity" : "all \(total) entities"
        return "Delete \(what)\(category)\(search)?"
    }

    /// Deletes entities by their ids.
    func delete(ids texts: [String]) async throws -> ActionResult {
        let ids = texts.map { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let wrong = zip(texts, ids).filter { $0.1 == nil }.map(\.0)
        try ValidationError.check(
            wrong.map { ValidationFinding("'\($0.excerpt)' is not the id of an entity.", field: "ids") })
        var seen: Set<Int> = []
        return try await delete(ids.compactMap { $0 }.filter { seen.insert($0).inserted })
    }

    func deleteAll() async throws -> ActionResult {
        let count = try await transfers.run("Deleting \(Self.entities(total))") { [model, query] in
            try await model.deleteAll(query, progress: $0)
        }
        if let count {
            return await .made(count > 0 ? "Deleted \(Self.entities(count))." : Self.nothingToDelete) {
                try await load()
            }
        }
        let ids = try await model.ids(of: query)
        guard !ids.isEmpty else { return .updated(Self.nothingToDelete) }
        return try await delete(ids)
    }

    private static var nothingToDelete: String { "There is nothing to delete." }

    private func delete(_ ids: [Int]) async throws -> ActionResult {
        let deletions = try await transfers.run("Deleting \(ids.count) entities") { [model] progress in
            await model.delete(ids, progress: progress)
        }
        let summary: String
        do {
            summary = try deletions.summary()
        } catch {
            // Fill the page up again; a failure appears when the list is next shown.
            if !deletions.isCancelled { try? await load() }
            throw error
        }
        return await .made(summary) { try await load() }
    }

    func importFile(_ path: String, format: EntityFile.Format?) async throws -> ActionResult {
        let file = try EntityFile(path, format: format)
        let count: Int
        do {
            count = try await transfers.run("Importing \(path)") { [model] in
                try await model.importEntities(from: file, progress: $0)
            }
        } catch let error where error.changeOutcome == .made {
            return .made("Imported the entities from '\(path)'.", notShown: error)
        }
        return await .made("Imported \(Self.entities(count)) from '\(path)'.") { try await load() }
    }

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
