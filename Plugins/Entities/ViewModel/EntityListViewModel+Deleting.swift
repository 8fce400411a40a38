import AtriumKit

extension EntityListViewModel {
    /// What is asked before ``deleteAll()``.
    var deletionQuestion: String? {
        guard total > 0 else { return nil }
        let category = query.category.map { " in category '\($0)'" } ?? ""
        let search = query.search.map { " that match '\($0)'" } ?? ""
        return "Delete all \(total) entities\(category)\(search)?"
    }

    /// Deletes entities by their ids.
    ///
    /// - Throws: ``ValidationError`` with every text that is no id, and nothing is deleted;
    ///   ``EntityError/notAllDeleted(_:isCancelled:cause:)`` with what became of each.
    func delete(ids texts: [String]) async throws -> ActionResult {
        let ids = texts.map { Int($0).flatMap { $0 > 0 ? $0 : nil } }
        let wrong = zip(texts, ids).filter { $0.1 == nil }.map(\.0)
        try ValidationError.check(
            wrong.map { ValidationFinding(field: "ids", message: "'\($0)' is no id of an entity.") })
        var seen: Set<Int> = []
        return try await delete(ids.compactMap { $0 }.filter { seen.insert($0).inserted })
    }

    /// Deletes every entity that passes the filter of the list, on all of its pages.
    ///
    /// - Throws: ``EntityError/notAllDeleted(_:isCancelled:cause:)`` with what became of each.
    func deleteAll() async throws -> ActionResult {
        let ids = try await model.ids(of: query)
        guard !ids.isEmpty else { return .updated("There is nothing to delete.") }
        return try await delete(ids)
    }

    private func delete(_ ids: [Int]) async throws -> ActionResult {
        let deletions = try await transfers.run("Deleting \(ids.count) entities") { [model] progress in
            await model.delete(ids, progress: progress)
        }
        // What moved up is shown; why it can't be read is told when the list is shown next.
        if !deletions.isCancelled { try? await load() }
        return .updated(try deletions.summary())
    }
}
