// Commands of a list that concern many records.

extension RecordListViewModel {
    var deletionQuestion: String? {
        let total = list.listing.total
        guard total > 0 else { return nil }
        let limits = list.query.isLimited ? " \(list.query.conditions)" : ""
        let what = total == 1 ? "the only \(Item.fields.noun.singular)" : "all \(counted)"
        return "Delete \(what)\(limits)?"
    }

    /// `46 books`, or `books` if their number is not known.
    private var counted: String {
        let noun = Item.fields.noun
        return list.isTotalKnown ? noun.counted(list.total) : noun.plural
    }

    func delete(ids texts: [String]) async throws -> ActionResult {
        let ids = texts.map { Item.ID(argument: $0).flatMap { $0.isStoredID ? $0 : nil } }
        let wrong = zip(texts, ids).filter { $0.1 == nil }.map(\.0)
        try ValidationError.check(
            wrong.map {
                ValidationFinding(
                    "'\($0.excerpt)' is not the id of \(Item.fields.noun.withArticle).", field: "ids")
            })
        var seen: Set<Item.ID> = []
        return try await delete(ids.compactMap { $0 }.filter { seen.insert($0).inserted })
    }

    func deleteAll() async throws -> ActionResult {
        let query = list.query
        let count = try await transferring("Deleting \(counted)") { [model] in
            try await model.deleteAll(query, progress: $0)
        }
        if let count {
            return await .made(
                count > 0 ? "Deleted \(Item.fields.noun.counted(count))." : Self.nothingToDelete
            ) {
                try await load()
            }
        }
        let ids = try await model.ids(of: query)
        guard !ids.isEmpty else { return .updated(Self.nothingToDelete) }
        return try await delete(ids)
    }

    private static var nothingToDelete: String { "There is nothing to delete." }

    private func delete(_ ids: [Item.ID]) async throws -> ActionResult {
        let label = "Deleting \(Item.fields.noun.counted(ids.count))"
        let deletions = try await transferring(label) { [model] progress in
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

    func importFile(
        _ path: String, _ format: RecordFileFormat?, marksFormulas: Bool
    ) async throws -> ActionResult {
        var file = try RecordFile<Item>(path, format: format)
        file.marksFormulas = marksFormulas
        let count: Int
        do {
            count = try await transferring("Importing \(path)") { [model, file] in
                try await model.importAll(from: file, progress: $0)
            }
        } catch let error where error.changeOutcome == .made {
            return .made("Imported the \(Item.fields.noun.plural) from '\(path)'.", notShown: error)
        }
        return await .made("Imported \(Item.fields.noun.counted(count)) from '\(path)'.") { try await load() }
    }

    func exportFile(
        _ path: String, _ format: RecordFileFormat?, replaces: Bool, isComplete: Bool, marksFormulas: Bool
    ) async throws -> ActionResult {
        var file = try RecordFile<Item>(path, format: format)
        (file.isReplaced, file.isComplete, file.marksFormulas) = (replaces, isComplete, marksFormulas)
        let count = try await transferring("Exporting to \(path)") { [model, file] in
            try await model.exportAll(to: file, progress: $0)
        }
        return .updated("Exported \(Item.fields.noun.counted(count)) to '\(path)'.")
    }

    /// Shows the progress of `work`, which calls its argument with the number of records done; one at a time.
    private func transferring<Value>(
        _ label: String, _ work: (@escaping @Sendable (Int) -> Void) async throws -> Value
    ) async throws -> Value {
        guard transfer == nil else { throw ServiceError.transferUnderWay() }
        transfer = Progress("transfer", label: label, completed: 0)
        defer { transfer = nil }
        let relay = ProgressRelay { [weak self] count in
            if let self, transfer != nil { transfer = Progress("transfer", label: label, completed: count) }
        }
        return try await work { relay.send($0) }
    }
}
