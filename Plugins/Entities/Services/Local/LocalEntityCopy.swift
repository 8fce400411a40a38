import AtriumKit

/// Keeps what a remote entity service answered in the module's own database, up to a number of entities.
///
/// A list is answered from the places that were seen of that list, or worked out where a whole list is known
/// that has everything it could contain; never from a part of one. What was not seen for longest goes first.
struct LocalEntityCopy: EntityCopyService {
    private let database: any Database
    private let clock: any WallClock
    private let capacity: Int

    /// Keeps up to `capacity` entities, and as many of their places in lists.
    init(database: any Database, clock: any WallClock, capacity: Int = 10_000) {
        self.database = database
        self.clock = clock
        self.capacity = capacity
    }

    func keep(_ page: EntityPage) async throws {
        let (now, capacity) = (clock.now(), capacity)
        try await database.write { connection in
            let list = try Self.keepList(of: page, at: now, on: connection)
            for (index, entity) in page.rows.enumerated() {
                try Self.keep(entity, at: now, on: connection)
                try connection.execute(
                    EntityCopyQueries.dropPlacesOfEntity, [list.databaseValue, entity.id.databaseValue])
                try connection.execute(
                    EntityCopyQueries.keepPlace,
                    [
                        list.databaseValue, (page.query.offset + index).databaseValue,
                        entity.id.databaseValue, now.databaseValue,
                    ])
            }
            try Self.trim(to: capacity, on: connection)
        }
    }

    func keep(_ entity: Entity) async throws {
        let (now, capacity) = (clock.now(), capacity)
        try await database.write { connection in
            try Self.keep(entity, at: now, on: connection)
            try Self.leave(EntityCopyQueries.wrongPlaces, entity.id, on: connection)
            try Self.trim(to: capacity, on: connection)
        }
    }

    func forget(_ id: Int) async throws {
        try await database.write { connection in
            try Self.leave(EntityCopyQueries.places, id, on: connection)
            try connection.execute(EntityCopyQueries.dropEntity, [id.databaseValue])
        }
    }

    func page(_ query: EntityQuery) async throws -> (page: EntityPage, asOf: Timestamp)? {
        try await database.read { connection in
            try Self.seenPage(query, on: connection) ?? Self.workedOutPage(query, on: connection)
        }
    }

    func entity(_ id: Int) async throws -> (entity: Entity, asOf: Timestamp)? {
        try await database.read { connection in
            try connection.first(EntityCopyQueries.entity, [id.databaseValue], decode: Self.row)
        }
    }
}

// MARK: - Keeping

extension LocalEntityCopy {
    private static func keep(
        _ entity: Entity, at moment: Timestamp, on connection: any DatabaseConnection
    ) throws {
        try connection.execute(
            EntityCopyQueries.keepEntity, EntityCopyQueries.arguments(keeping: entity, at: moment))
    }

    /// Notes that a list was seen, and makes room for the places of a page.
    ///
    /// - Returns: The list.
    private static func keepList(
        of page: EntityPage, at moment: Timestamp, on connection: any DatabaseConnection
    ) throws -> Int {
        let key = [.text(page.query.sort.rawValue)] + EntityCopyQueries.filter(page.query)
        let before = try list(key, on: connection)
        try connection.execute(
            EntityCopyQueries.keepList, key + [page.total.databaseValue, moment.databaseValue])
        guard let list = try before ?? list(key, on: connection) else { return 0 }
        if list.total != page.total {
            // Something came or went: nobody knows where the others stand now.
            try connection.execute(EntityCopyQueries.dropPlaces, [list.id.databaseValue])
        } else {
            let offset = page.query.offset
            try connection.execute(
                EntityCopyQueries.dropPlacesBetween,
                [list.id.databaseValue, offset.databaseValue, (offset + page.query.size).databaseValue])
        }
        return list.id
    }

    /// Takes an entity out of the places that `query` finds; those behind it move up.
    private static func leave(_ query: String, _ id: Int, on connection: any DatabaseConnection) throws {
        let places = try connection.query(query, [id.databaseValue]) { row in
            (list: try row.value(0, as: Int.self), position: try row.value(1, as: Int.self))
        }
        for place in places {
            try connection.execute(
                EntityCopyQueries.dropPlacesOfEntity, [place.list.databaseValue, id.databaseValue])
            for step in EntityCopyQueries.closeGap {
                try connection.execute(step, [place.list.databaseValue, place.position.databaseValue])
            }
            try connection.execute(EntityCopyQueries.shortenList, [place.list.databaseValue])
        }
    }

    private static func trim(to capacity: Int, on connection: any DatabaseConnection) throws {
        for statement in EntityCopyQueries.trim {
            try connection.execute(statement, [capacity.databaseValue])
        }
    }
}

// MARK: - Answering

extension LocalEntityCopy {
    private typealias KnownPage = (page: EntityPage, asOf: Timestamp)

    /// The page as it was seen.
    private static func seenPage(
        _ query: EntityQuery, on connection: any DatabaseConnection
    ) throws -> KnownPage? {
        let key = [.text(query.sort.rawValue)] + EntityCopyQueries.filter(query)
        guard let list = try list(key, on: connection) else { return nil }
        let end = min(query.offset + query.size, list.total)
        guard query.offset < end else {
            return (EntityPage(query: query, rows: [], total: list.total), list.seenAt)
        }
        let rows = try connection.query(
            EntityCopyQueries.rows,
            [list.id.databaseValue, query.offset.databaseValue, end.databaseValue], decode: row)
        guard rows.count == end - query.offset, let asOf = rows.map(\.asOf).min() else { return nil }
        return (EntityPage(query: query, rows: rows.map(\.entity), total: list.total), asOf)
    }

    /// The page as it follows from a whole list that has everything that passes the filter.
    private static func workedOutPage(
        _ query: EntityQuery, on connection: any DatabaseConnection
    ) throws -> KnownPage? {
        let filter = EntityCopyQueries.filter(query)
        let whole = try connection.first(EntityCopyQueries.wholeList, filter) { row in
            (list: try row.value(0, as: Int.self), asOf: try row.value(1, as: Timestamp.self))
        }
        guard let whole else { return nil }
        let arguments = [whole.list.databaseValue] + filter
        let total: Int =
            try connection.first(EntityCopyQueries.totalWithin, arguments) { try $0.value(0) } ?? 0
        let rows = try connection.query(
            EntityCopyQueries.pageWithin(query),
            arguments + [query.size.databaseValue, query.offset.databaseValue], decode: EntityQueries.entity)
        return (EntityPage(query: query, rows: rows, total: total), whole.asOf)
    }

    private static func list(
        _ key: [DatabaseValue], on connection: any DatabaseConnection
    ) throws -> (id: Int, total: Int, seenAt: Timestamp)? {
        try connection.first(EntityCopyQueries.list, key) { row in
            (try row.value(0), try row.value(1), try row.value(2))
        }
    }

    private static func row(_ row: DatabaseRow) throws -> (entity: Entity, asOf: Timestamp) {
        (try EntityQueries.entity(row), try row.value(6))
    }
}
