import AtriumKit

extension LocalEntityService {
    /// Creates an entity for each row of a file, in one transaction; other calls wait meanwhile.
    ///
    /// The file is read twice: what is wrong in it is found before anything is written.
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await file.check()
        let now = clock.now()
        let created = try await database.write { connection in
            let last: Int = try connection.first(EntityQueries.lastID) { try $0.value(0) } ?? 0
            var created = 0
            // Each statement looks whether the task was cancelled.
            let rows = try file.forEachDraft(checksCancellation: false) { draft in
                try connection.execute(
                    EntityQueries.insert, EntityQueries.arguments(inserting: draft, at: now))
                created += 1
                if created.isMultiple(of: EntityFile.stride) { progress(created) }
            }
            try connection.execute(EntityQueries.indexAfter, [last.databaseValue])
            return rows
        }
        progress(created)
        return created
    }

    /// Writes every entity into a file, a part at a time, so that other calls need not wait.
    ///
    /// What is created, changed or deleted meanwhile is written as it was or as it is.
    @concurrent func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        var writer = try EntityFileWriter(file)
        var (written, last) = (0, 0)
        while true {
            let part = try await entities(after: last)
            for entity in part {
                try writer.write(name: entity.name, category: entity.category, notes: entity.notes)
            }
            try Task.checkCancellation()
            guard let end = part.last else { break }
            written += part.count
            last = end.id
            progress(written)
        }
        try writer.finish()
        return written
    }

    private func entities(after id: Int) async throws -> [Entity] {
        try await database.read { connection in
            try connection.query(
                EntityQueries.after, [.integer(Int64(id)), .integer(Int64(EntityFile.stride))],
                decode: EntityQueries.entity)
        }
    }
}
