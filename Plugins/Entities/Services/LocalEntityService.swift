import AtriumKit

/// Keeps entities in the module's own database.
struct LocalEntityService: EntityService {
    private let database: any Database
    private let clock: any WallClock

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
            try connection.execute(
                EntityQueries.insert, EntityQueries.arguments(inserting: draft, at: now))
            return Entity(
                id: Int(connection.lastInsertedRowID), name: draft.name, category: draft.category,
                notes: draft.notes, createdAt: now, updatedAt: now)
        }
    }

    func update(_ id: Int, _ changes: EntityChanges) async throws -> Entity {
        let now = clock.now()
        return try await database.write { connection in
            var entity = changes.applied(to: try Self.entity(id, on: connection))
            entity.updatedAt = now
            try connection.execute(EntityQueries.update, EntityQueries.arguments(updating: entity))
            return entity
        }
    }

    func delete(_ id: Int) async throws -> Entity {
        try await database.write { connection in
            let entity = try Self.entity(id, on: connection)
            try connection.execute(EntityQueries.delete, [.integer(Int64(id))])
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
