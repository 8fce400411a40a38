import AtriumKit

/// Entities in the module's database, for lists of a million of them: totals are counted by triggers, and texts
/// are found by an index.
struct LocalEntityService: RecordService {
    let database: any Database
    let clock: any WallClock

    /// The topic of announced changes; the keys are ids.
    static let topic = Entity.table

    func page(_ query: RecordQuery<Entity>) async throws -> RecordPage<Entity> {
        try await page(query, after: nil)
    }

    func page(_ query: RecordQuery<Entity>, after last: Entity?) async throws -> RecordPage<Entity> {
        try await database.read { connection in
            let dialect = connection.dialect
            let filter = EntityQueries.filterArguments(query, dialect)
            let counted: RowCount? = try connection.first(EntityQueries.total(query, dialect), filter) {
                try $0.value(0)
            }
            let total = counted?.wrappedValue ?? 0
            guard query.offset < total else { return RecordPage(total: total) }
            let start = last.map { EntityQueries.arguments(after: $0, query.sort) } ?? []
            let rows = try connection.query(
                EntityQueries.page(query, dialect, after: last),
                start + filter + [query.size.databaseValue, (last == nil ? query.offset : 0).databaseValue],
                decode: EntityQueries.entity)
            return RecordPage(rows: rows, total: total)
        }
    }

    func record(_ id: Int) async throws -> Entity {
        try await database.read { try Self.entity(id, on: $0) }
    }

    func values(_ query: RecordValuesQuery) async throws -> RecordValues {
        try await database.read { connection in
            let total: Int =
                try connection.first(EntityQueries.categoryTotal) { try $0.value(0) } ?? 0
            let rows = try connection.query(
                EntityQueries.categories(query.sort), [query.limit.databaseValue]
            ) { row in
                let count: RowCount = try row.value(1)
                return RecordFieldValue(name: try row.value(0), count: count.wrappedValue)
            }
            return RecordValues(rows: rows, total: total)
        }
    }

    func create(_ record: Entity) async throws -> Entity {
        let stamped = record.stamped(at: clock.now(), isNew: true)
        return try await database.write { connection in
            var entity = stamped
            entity.id =
                try connection.first(
                    EntityQueries.insertReturningID, EntityQueries.arguments(inserting: stamped)
                ) { try $0.value(0) } ?? 0
            try EntityIndex(connection).add(entity)
            connection.announce(Self.topic, key: "\(entity.id)")
            return entity
        }
    }

    func update(_ id: Int, _ changes: RecordChanges<Entity>) async throws -> Entity {
        let now = clock.now()
        return try await database.write { connection in
            let before = try Self.entity(id, on: connection)
            let entity = try changes.checkedAndApplied(to: before).stamped(at: now, isNew: false)
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

    func delete(_ id: Int) async throws -> Entity? {
        try await database.write { connection in
            let entity = try Self.entity(id, on: connection)
            try EntityIndex(connection).remove(Int64(id))
            try connection.execute(EntityQueries.delete, [id.databaseValue])
            connection.announce(Self.topic, key: "\(id)")
            return entity
        }
    }

    private static func entity(_ id: Int, on connection: any DatabaseConnection) throws -> Entity {
        let found = try connection.first(EntityQueries.byID, [id.databaseValue], decode: EntityQueries.entity)
        guard let found else { throw ServiceError.noRecord(Entity.self, id) }
        return found
    }
}

// MARK: - Many at once

extension LocalEntityService {
    /// Deletes in one transaction; other calls wait.
    func deleteAll(
        _ query: RecordQuery<Entity>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int? {
        try await database.write { connection in
            connection.announce(Self.topic)
            guard query.isLimited else {
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
                if number % 1_000 == 0 { progress(number) }
            }
            return ids.count
        }
    }

    /// Creates entities in one transaction; other calls wait.
    func createAll(
        _ read: @escaping @Sendable (_ add: (Entity) throws -> Void) throws -> Void
    ) async throws -> Int {
        let now = clock.now()
        return try await database.write { connection in
            let index = EntityIndex(connection)
            let last = try index.last()
            let rows = try connection.insert(into: "entities", EntityQueries.insertedColumns) { add in
                try read { entity in
                    try add(EntityQueries.arguments(inserting: entity.stamped(at: now, isNew: true)))
                }
            }
            try index.addAll(after: last)
            connection.announce(Self.topic)
            return rows
        }
    }

    /// Reads parts of 1,000, between which other calls run; an entity that changes meanwhile is read in its state
    /// before or after.
    func forEachPart(_ body: @escaping @Sendable ([Entity]) throws -> Void) async throws {
        var last = 0
        while true {
            let arguments = [last.databaseValue, 1_000.databaseValue]
            let part = try await database.read {
                try $0.query(EntityQueries.after, arguments, decode: EntityQueries.entity)
            }
            guard let end = part.last else { return }
            try body(part)
            last = end.id
        }
    }
}
