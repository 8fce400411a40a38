import AtriumKit

/// Keeps entities in the module's own database.
struct LocalEntityService: EntityService {
    let database: any Database
    let clock: any WallClock

    init(database: any Database, clock: any WallClock) {
        self.database = database
        self.clock = clock
    }

    func page(_ query: EntityQuery) async throws -> EntityPage {
        let filter = EntityQueries.filterArguments(query)
        return try await database.read { connection in
            let total: Int = try connection.first(EntityQueries.total(query), filter) { try $0.value(0) } ?? 0
            guard query.offset < total else { return EntityPage(query: query, rows: [], total: total) }
            let rows = try connection.query(
                EntityQueries.page(query),
                filter + [.integer(Int64(query.size)), .integer(Int64(query.offset))],
                decode: EntityQueries.entity)
            return EntityPage(query: query, rows: rows, total: total)
        }
    }

    func entity(_ id: Int) async throws -> Entity {
        try await database.read { try Self.entity(id, on: $0) }
    }

    func categories(_ query: CategoryQuery) async throws -> CategoryList {
        try await database.read { connection in
            let total: Int = try connection.first(EntityQueries.categoryTotal) { try $0.value(0) } ?? 0
            let rows = try connection.query(
                EntityQueries.categories(query.sort), [.integer(Int64(query.limit))]
            ) { row in
                EntityCategory(name: try row.value(0), count: try row.value(1))
            }
            return CategoryList(rows: rows, total: total)
        }
    }

    func create(_ draft: EntityDraft) async throws -> Entity {
        let now = clock.now()
        return try await database.write { connection in
            let arguments = EntityQueries.arguments(inserting: draft, at: now)
            try connection.execute(EntityQueries.insert, arguments)
            let id = Int(connection.lastInsertedRowID)
            try connection.execute(EntityQueries.index, [id.databaseValue, draft.searchKey.databaseValue])
            return Entity(
                id: id, name: draft.name, category: draft.category, notes: draft.notes, createdAt: now,
                updatedAt: now)
        }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        let now = clock.now()
        return try await database.write { connection in
            let before = try Self.entity(id, on: connection)
            var entity = changes.applied(to: before)
            entity.updatedAt = now
            // By scalars: `==` takes texts for equal that the index keeps apart.
            let isOtherText = !entity.searchKey.utf8.elementsEqual(before.searchKey.utf8)
            if isOtherText { try connection.execute(EntityQueries.unindex, [id.databaseValue]) }
            try connection.execute(EntityQueries.update, EntityQueries.arguments(updating: entity))
            if isOtherText {
                try connection.execute(
                    EntityQueries.index, [id.databaseValue, entity.searchKey.databaseValue])
            }
            return entity
        }
    }

    func delete(_ id: Int) async throws -> Entity {
        try await database.write { connection in
            let entity = try Self.entity(id, on: connection)
            try connection.execute(EntityQueries.unindex, [id.databaseValue])
            try connection.execute(EntityQueries.delete, [id.databaseValue])
            return entity
        }
    }

    private static func entity(_ id: Int, on connection: any DatabaseConnection) throws -> Entity {
        let found = try connection.first(
            EntityQueries.byID, [.integer(Int64(id))], decode: EntityQueries.entity)
        guard let found else { throw EntityError.notFound(id) }
        return found
    }
}

extension Entity {
    /// The text that searches look at.
    fileprivate var searchKey: String {
        SearchKey.ofAll(name: name, category: category, notes: notes)
    }
}

extension EntityDraft {
    /// The text that searches look at.
    fileprivate var searchKey: String {
        SearchKey.ofAll(name: name, category: category, notes: notes)
    }
}
