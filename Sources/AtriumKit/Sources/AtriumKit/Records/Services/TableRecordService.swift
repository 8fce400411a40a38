/// Records in a table of the module's own database.
struct TableRecordService<Item: Record>: RecordService {
    let database: any Database
    let clock: any WallClock
    var ids = IDSource.random
    private let table = RecordTable<Item>()

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        try await database.read { [table] connection in
            let (count, countArguments) = try table.total(query, connection.dialect)
            let total: Int? = try connection.first(count, countArguments) { try $0.value(0) }
            let (select, arguments) = try table.page(query, connection.dialect)
            let rows = try connection.query(select, arguments, decode: RecordTable<Item>.decode)
            return RecordPage(rows: rows, total: total ?? 0)
        }
    }

    func record(_ id: Item.ID) async throws -> Item {
        try await database.read { [table] in try table.record(id, on: $0) }
    }

    func values(_ query: RecordValuesQuery) async throws -> RecordValues {
        let field = try Item.fields.field(query.field, among: Item.fields.filtered)
        return try await database.read { [table] connection in
            let total: Int? = try connection.first(table.valueCount(field)) { try $0.value(0) }
            let rows = try connection.query(
                table.values(field, query.sort), [query.limit.databaseValue]
            ) { row in
                let record = try RecordTable<Item>.decode(row)
                let count: RowCount = try row.value(Item.fields.all.count + 1)
                return RecordFieldValue(name: field.text(of: record) ?? "", count: count.wrappedValue)
            }
            return RecordValues(rows: rows, total: total ?? 0)
        }
    }

    func create(_ record: Item) async throws -> Item {
        let stamped = record.stamped(at: clock.now(), isNew: true)
        return try await database.write { [table, ids] connection in
            try table.checkUnique(stamped, Item.fields.all, on: connection)
            var created = stamped
            created.id =
                try connection.first(table.insert, table.inserted(stamped, ids)) { try $0.value(0) }
                ?? .unstoredID
            connection.announce(Item.table, key: "\(created.id)")
            return created
        }
    }

    func update(_ id: Item.ID, _ changes: RecordChanges<Item>) async throws -> Item {
        let now = clock.now()
        return try await database.write { [table] connection in
            let former = try table.record(id, on: connection)
            let present = try changes.checkedAndApplied(to: former).stamped(at: now, isNew: false)
            let fields = present.changes(from: former)
            guard !fields.isEmpty else { return former }
            try table.checkUnique(present, fields, on: connection)
            let (update, arguments) = table.update(present, fields)
            try connection.execute(update, arguments)
            connection.announce(Item.table, key: "\(id)")
            return present
        }
    }

    func delete(_ id: Item.ID) async throws -> Item? {
        try await database.write { [table] connection in
            let record = try table.record(id, on: connection)
            try connection.execute(table.delete, [id.databaseValue])
            connection.announce(Item.table, key: "\(id)")
            return record
        }
    }

    /// Deletes in one transaction; other calls wait.
    func deleteAll(
        _ query: RecordQuery<Item>, progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int? {
        try await database.write { [table] connection in
            let (delete, arguments) = try table.deleteAll(query, connection.dialect)
            connection.announce(Item.table)
            return try connection.execute(delete, arguments)
        }
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        let now = clock.now()
        do {
            return try await database.write { [table, ids] connection in
                connection.announce(Item.table)
                return try connection.insert(into: table.table, table.insertedColumns) { add in
                    try read { try add(table.inserted($0.stamped(at: now, isNew: true), ids)) }
                }
            }
        } catch let error as DatabaseError where error.code == .uniqueViolation {
            try await checkUnique(read)
            throw ServiceError.notUnique(
                Item.fields.noun, Item.fields.all.filter(\.traits.isUnique).map(\.name), error)
        }
    }

    /// Throws the first record that has a value of another one, stored or among them.
    private func checkUnique(_ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void)
        async throws
    {
        try await database.read { [table] connection in
            let fields = Item.fields.all.filter(\.traits.isUnique)
            var (row, seen) = (0, [String: Set<[UInt8]>]())
            try read { record in
                row += 1
                for field in fields {
                    guard let text = field.text(of: record) else { continue }
                    let key = Array((field.hasKey ? SearchKey.of(text) : text).utf8)
                    if !seen[field.name, default: []].insert(key).inserted {
                        throw ValidationError(findings: [.notUnique(field, of: record, row: row)])
                    }
                }
                try table.checkUnique(record, fields, row: row, on: connection)
            }
        }
    }

    /// Reads parts of 1,000, between which other calls run.
    func forEachPart(_ body: @escaping @Sendable ([Item]) throws -> Void) async throws {
        var last = Item.ID.unstoredID
        while true {
            let arguments = [last.databaseValue, 1_000.databaseValue]
            let part = try await database.read { [table] connection in
                try connection.query(table.afterID, arguments, decode: RecordTable<Item>.decode)
            }
            guard let end = part.last else { return }
            try body(part)
            last = end.id
        }
    }
}

extension RecordTable {
    fileprivate func record(_ id: Item.ID, on connection: any DatabaseConnection) throws -> Item {
        guard let found = try connection.first(byID, [id.databaseValue], decode: Self.decode) else {
            throw ServiceError.noRecord(Item.self, id)
        }
        return found
    }

    fileprivate func checkUnique(
        _ record: Item, _ fields: [RecordField<Item>], row: Int? = nil, on connection: any DatabaseConnection
    ) throws {
        for field in fields where field.traits.isUnique && field.text(of: record) != nil {
            let (select, arguments) = duplicate(field, of: record)
            let other: Item.ID? = try connection.first(select, arguments) { try $0.value(0) }
            if other != nil { throw ValidationError(findings: [.notUnique(field, of: record, row: row)]) }
        }
    }
}
