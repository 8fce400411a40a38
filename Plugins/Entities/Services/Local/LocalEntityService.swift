import AtriumKit

struct LocalEntityService: EntityService {
    let database: any Database
    let clock: any WallClock

    /// The topic of announced changes; the keys are ids.
    static let topic = "entities"

    func page(_ query: EntityQuery) async throws -> EntityPage { try await page(query, after: nil) }

    func page(_ query: EntityQuery, after last: Entity?) async throws -> EntityPage {
        try await database.read { connection in
            let dialect = connection.dialect
            let filter = EntityQueries.filterArguments(query, dialect)
            let counted: RowCount? = try connection.first(EntityQueries.total(query, dialect), filter) {
                try $0.value(0)
            }
            let total = counted?.wrappedValue ?? 0
            guard query.offset < total else { return EntityPage(query: query, rows: [], total: total) }
            let start = last.map { EntityQueries.arguments(after: $0, query.sort) } ?? []
            let rows = try connection.query(
                EntityQueries.page(query, dialect, after: last),
                start + filter + [query.size.databaseValue, (last == nil ? query.offset : 0).databaseValue],
                decode: EntityQueries.entity)
            return EntityPage(query: query, rows: rows, total: total)
        }
    }

    func entity(_ id: Int) async throws -> Entity {
        try await database.read { try Self.entity(id, on: $0) }
    }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await database.read { connection in
            let total: Int =
                try connection.first(EntityQueries.categoryTotal) { try $0.value(0) } ?? 0
            let rows = try connection.query(
                EntityQueries.categories(query.sort), [.integer(Int64(query.limit))]
            ) { row in
                let count: RowCount = try row.value(1)
                return EntityCategory(name: try row.value(0), count: count.wrappedValue)
            }
            return CategoryList(rows: rows, total: total)
        }
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        let now = clock.now()
        return try await database.write { connection in
            let arguments = EntityQueries.arguments(inserting: draft, at: now)
            let ids: [Int] = try connection.query(EntityQueries.insertReturningID, arguments) {
                try $0.value(0)
            }
            let entity = draft.entity(id: ids[0], at: now)
            try EntityIndex(connection).add(entity)
            connection.announce(Self.topic, key: "\(entity.id)")
            return entity
        }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        let now = clock.now()
        return try await database.write { connection in
            let before = try Self.entity(id, on: connection)
            var entity = changes.applied(to: before)
            entity.updatedAt = now
            // By bytes: `==` ignores normalization, the index does not.
            let isOtherText = !entity.searchKey.utf8.elementsEqual(before.searchKey.utf8)
            let index = EntityIndex(connection)
            if isOtherText { try index.remove(Int64(id)) }
            try connection.execute(EntityQueries.update, EntityQueries.arguments(updating: entity))
            if isOtherText { try index.add(entity) }
            connection.announce(Self.topic, key: "\(id)")
            return entity
        }
    }

    func delete(_ id: Int) async throws -> Entity {
        try await database.write { connection in
            let entity = try Self.entity(id, on: connection)
            try EntityIndex(connection).remove(Int64(id))
            try connection.execute(EntityQueries.delete, [id.databaseValue])
            connection.announce(Self.topic, key: "\(id)")
            return entity
        }
    }

    /// Deletes in one transaction; other calls wait.
    func deleteAll(_ query: EntityQuery, progress: @escaping @Sendable (Int) -> Void) async throws -> Int? {
        try await database.write { connection in
            connection.announce(Self.topic)
            guard query.category != nil || query.search != nil else {
                try EntityIndex(connection).removeAll()
                return try connection.execute(EntityQueries.deleteAll)
            }
            let (found, arguments) = EntityQueries.found(query, connection.dialect)
            if connection.dialect == .postgresql {
                return try connection.execute("\(EntityQueries.deleteAll) WHERE id IN (\(found))", arguments)
            }
            let ids: [Int64] = try connection.query(found, arguments) { try $0.value(0) }
            for (number, id) in ids.enumerated() {
                try EntityIndex(connection).remove(id)
                try connection.execute(EntityQueries.delete, [.integer(id)])
                if number % EntityFile.stride == 0 { progress(number) }
            }
            return ids.count
        }
    }

    private static func entity(_ id: Int, on connection: any DatabaseConnection) throws -> Entity {
        let found = try connection.first(EntityQueries.byID, [id.databaseValue], decode: EntityQueries.entity)
        guard let found else { throw ServiceError.notFound(id) }
        return found
    }
}

// MARK: - Files

extension LocalEntityService {
    /// Creates an entity for each row of a file, in one transaction; other calls wait.
    ///
    /// Reads the file twice, so that its mistakes are found before anything is written.
    func importEntities(
        from file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        try await file.check()
        let now = clock.now()
        let created = try await database.write { connection in
            let index = EntityIndex(connection)
            let last = try index.last()
            // Each statement checks for cancellation.
            let rows = try connection.insert(into: "entities", EntityQueries.insertedColumns) { add in
                _ = try file.forEachDraft(checksCancellation: false, progress: progress) { draft in
                    try add(EntityQueries.arguments(inserting: draft, at: now))
                }
            }
            try index.addAll(after: last)
            connection.announce(Self.topic)
            return rows
        }
        progress(created)
        return created
    }

    /// Writes every entity to a file, in parts, between which other calls run.
    ///
    /// An entity that changes meanwhile is written in its state before or after.
    @concurrent func exportEntities(
        to file: EntityFile, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        var writer = try file.makeWriter()
        var (written, last) = (0, 0)
        while true {
            let arguments = [last.databaseValue, EntityFile.stride.databaseValue]
            let part = try await database.read {
                try $0.query(EntityQueries.after, arguments, decode: EntityQueries.entity)
            }
            for entity in part { try writer.write(entity, as: file.format) }
            try Task.checkCancellation()
            guard let end = part.last else { break }
            written += part.count
            last = end.id
            progress(written)
        }
        try writer.finish()
        return written
    }
}
