import AtriumKit

/// Keeps what a remote entity service answered in the module's own database, up to a number of entities.
///
/// Each owner, an account at the server, has a copy apart. A list is answered from the places that were seen
/// of that list, or worked out where a whole list is known that has everything it could contain; never from a
/// part of one. What was not seen for longest goes first, whoever's it is.
struct LocalEntityCopy: EntityCopyService {
    private let database: any Database
    private let server: String
    private let capacity: Int
    private let answers: OfflineStore

    /// Keeps up to `capacity` entities, and as many of their places in lists, of what `server` answers.
    init(database: any Database, server: String, capacity: Int = 10_000) {
        self.database = database
        self.server = server
        self.capacity = capacity
        answers = OfflineStore(database: database, server: server)
    }

    func keep(_ page: EntityPage, of account: String?, at moment: Timestamp) async throws {
        let (key, capacity) = (ownerKey(account), capacity)
        try await database.write { connection in
            let owner = try Self.keepOwner(key, on: connection)
            let list = try Self.keepList(of: page, owner, at: moment, on: connection)
            for (index, entity) in page.rows.enumerated() {
                try Self.keep(entity, owner, at: moment, on: connection)
                try connection.execute(
                    EntityCopyQueries.dropPlacesOfEntity, [list, owner, entity.id.databaseValue])
                let position = (page.query.offset + index).databaseValue
                try connection.execute(
                    EntityCopyQueries.keepPlace,
                    [list, position, moment.databaseValue, owner, entity.id.databaseValue])
            }
            try Self.trim(to: capacity, on: connection)
        }
    }

    func keep(_ entity: Entity, of account: String?, at moment: Timestamp) async throws {
        let (key, capacity) = (ownerKey(account), capacity)
        try await database.write { connection in
            let owner = try Self.keepOwner(key, on: connection)
            try Self.keep(entity, owner, at: moment, on: connection)
            try Self.leave(EntityCopyQueries.wrongPlaces, owner, entity.id, on: connection)
            try Self.trim(to: capacity, on: connection)
        }
    }

    func forget(_ id: Int, of account: String?) async throws {
        let key = ownerKey(account)
        try await database.write { connection in
            guard let owner = try Self.owner(key, on: connection) else { return }
            try Self.leave(EntityCopyQueries.places, owner, id, on: connection)
            try connection.execute(EntityCopyQueries.dropEntity, [owner, id.databaseValue])
        }
    }

    func page(_ query: EntityQuery, of account: String?) async throws -> (value: EntityPage, asOf: Timestamp)?
    {
        let key = ownerKey(account)
        return try await database.read { connection in
            guard let owner = try Self.owner(key, on: connection) else { return nil }
            return try Self.seenPage(query, owner, on: connection)
                ?? Self.workedOutPage(query, owner, on: connection)
        }
    }

    func entity(_ id: Int, of account: String?) async throws -> (value: Entity, asOf: Timestamp)? {
        let key = ownerKey(account)
        return try await database.read { connection in
            guard let owner = try Self.owner(key, on: connection) else { return nil }
            return try connection.first(
                EntityCopyQueries.entity, [owner, id.databaseValue], decode: Self.row)
        }
    }

    func keep(
        _ list: CategoryList, for query: CategoryQuery, of account: String?, at moment: Timestamp
    ) async throws {
        try await answers.keep(list, as: Self.key(query), of: account, at: moment)
    }

    func categories(
        _ query: CategoryQuery, of account: String?
    ) async throws -> (value: CategoryList, asOf: Timestamp)? {
        try await answers.last(CategoryList.self, Self.key(query), of: account).map { ($0.answer, $0.asOf) }
    }

    private static func key(_ query: CategoryQuery) -> String {
        "categories/\(query.sort.rawValue)/\(query.limit)"
    }

    private func ownerKey(_ account: String?) -> [DatabaseValue] {
        [.text(server), account.databaseValue]
    }
}

// MARK: - Owners

extension LocalEntityCopy {
    private static func owner(
        _ key: [DatabaseValue], on connection: any DatabaseConnection
    ) throws -> DatabaseValue? {
        try connection.first(EntityCopyQueries.owner, key) { .integer(try $0.value(0)) }
    }

    private static func keepOwner(
        _ key: [DatabaseValue], on connection: any DatabaseConnection
    ) throws -> DatabaseValue {
        if let owner = try owner(key, on: connection) { return owner }
        try connection.execute(EntityCopyQueries.keepOwner, key)
        return .integer(connection.lastInsertedRowID)
    }
}

// MARK: - Keeping

extension LocalEntityCopy {
    private static func keep(
        _ entity: Entity, _ owner: DatabaseValue, at moment: Timestamp, on connection: any DatabaseConnection
    ) throws {
        try connection.execute(
            EntityCopyQueries.keepEntity,
            [owner] + EntityCopyQueries.arguments(keeping: entity, at: moment))
    }

    /// Notes that a list was seen, and makes room for the places of a page.
    ///
    /// - Returns: The list.
    private static func keepList(
        of page: EntityPage, _ owner: DatabaseValue, at moment: Timestamp,
        on connection: any DatabaseConnection
    ) throws -> DatabaseValue {
        let key = listKey(page.query, owner)
        let before = try list(key, on: connection)
        try connection.execute(
            EntityCopyQueries.keepList, key + [page.total.databaseValue, moment.databaseValue])
        guard let list = try before ?? list(key, on: connection) else { return .null }
        if list.total != page.total {
            // Something came or went: nobody knows where the others stand now.
            try connection.execute(EntityCopyQueries.dropPlaces, [list.id])
        } else {
            let offset = page.query.offset
            try connection.execute(
                EntityCopyQueries.dropPlacesBetween,
                [list.id, offset.databaseValue, (offset + page.query.size).databaseValue])
        }
        return list.id
    }

    /// Takes an entity out of the places that `query` finds; those behind it move up.
    private static func leave(
        _ query: String, _ owner: DatabaseValue, _ id: Int, on connection: any DatabaseConnection
    ) throws {
        let entity = [owner, id.databaseValue]
        let places = try connection.query(query, entity) { row in
            (list: DatabaseValue.integer(try row.value(0)), position: DatabaseValue.integer(try row.value(1)))
        }
        for place in places {
            try connection.execute(EntityCopyQueries.dropPlacesOfEntity, [place.list] + entity)
            for step in EntityCopyQueries.closeGap {
                try connection.execute(step, [place.list, place.position])
            }
            try connection.execute(EntityCopyQueries.shortenList, [place.list])
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
    private typealias KnownPage = (value: EntityPage, asOf: Timestamp)

    /// The page as it was seen.
    private static func seenPage(
        _ query: EntityQuery, _ owner: DatabaseValue, on connection: any DatabaseConnection
    ) throws -> KnownPage? {
        guard let list = try list(listKey(query, owner), on: connection) else { return nil }
        let end = min(query.offset + query.size, list.total)
        guard query.offset < end else {
            return (EntityPage(query: query, rows: [], total: list.total), list.seenAt)
        }
        let rows = try connection.query(
            EntityCopyQueries.rows,
            [list.id, query.offset.databaseValue, end.databaseValue], decode: row)
        guard rows.count == end - query.offset, let asOf = rows.map(\.asOf).min() else { return nil }
        return (EntityPage(query: query, rows: rows.map(\.value), total: list.total), asOf)
    }

    /// The page as it follows from a whole list that has everything that passes the filter.
    private static func workedOutPage(
        _ query: EntityQuery, _ owner: DatabaseValue, on connection: any DatabaseConnection
    ) throws -> KnownPage? {
        let filter = EntityCopyQueries.filter(query)
        let whole = try connection.first(EntityCopyQueries.wholeList, [owner] + filter) { row in
            (list: DatabaseValue.integer(try row.value(0)), asOf: try row.value(1, as: Timestamp.self))
        }
        guard let whole else { return nil }
        let arguments = [whole.list] + filter
        let total: Int =
            try connection.first(EntityCopyQueries.totalWithin, arguments) { try $0.value(0) } ?? 0
        let rows = try connection.query(
            EntityCopyQueries.pageWithin(query),
            arguments + [query.size.databaseValue, query.offset.databaseValue], decode: EntityQueries.entity)
        return (EntityPage(query: query, rows: rows, total: total), whole.asOf)
    }

    private static func listKey(_ query: EntityQuery, _ owner: DatabaseValue) -> [DatabaseValue] {
        [owner, .text(query.sort.rawValue)] + EntityCopyQueries.filter(query)
    }

    private static func list(
        _ key: [DatabaseValue], on connection: any DatabaseConnection
    ) throws -> (id: DatabaseValue, total: Int, seenAt: Timestamp)? {
        try connection.first(EntityCopyQueries.list, key) { row in
            (.integer(try row.value(0)), try row.value(1), try row.value(2))
        }
    }

    private static func row(_ row: DatabaseRow) throws -> (value: Entity, asOf: Timestamp) {
        (try EntityQueries.entity(row), try row.value(6))
    }
}
