/// Records in a table of the module's own database.
struct TableRecordService<Item: Record>: RecordService {
    let database: any Database
    private let table = RecordTable<Item>()

    init(database: any Database) {
        self.database = database
    }

    func page(_ query: RecordQuery<Item>) async throws -> RecordPage<Item> {
        try await database.read { [table] connection in
            let (count, countArguments) = try table.total(query, connection.dialect)
            let total: Int? = try connection.first(count, countArguments) { try $0.value(0) }
            let (select, arguments) = try table.page(query, connection.dialect)
            let rows = try connection.query(select, arguments, decode: RecordTable<Item>.decode)
            return RecordPage(rows: rows, total: total ?? 0)
        }
    }

    func record(_ id: Int) async throws -> Item {
        try await database.read { [table] in try table.record(id, on: $0) }
    }

    func values(of name: String) async throws -> [String] {
        let field = try Item.fields.field(name, among: Item.fields.filtered)
        let records = try await database.read { [table] connection in
            try connection.query(table.values(field), [], decode: RecordTable<Item>.decode)
        }
        return records.compactMap(field.text)
    }

    func create(_ record: Item) async throws -> Item {
        try await database.write { [table] connection in
            try table.checkUnique(record, Item.fields.all, on: connection)
            var created = record
            created.id = try connection.first(table.insert, table.values(of: record)) { try $0.value(0) } ?? 0
            connection.announce(Item.table, key: "\(created.id)")
            return created
        }
    }

    func update(_ record: Item, from base: Item) async throws -> Item {
        let fields = record.changes(from: base)
        guard !fields.isEmpty else { return base }
        return try await database.write { [table] connection in
            var present = try table.record(record.id, on: connection)
            try present.apply(fields, of: record, from: base)
            try table.checkUnique(present, fields, on: connection)
            let (update, arguments) = table.update(present, fields)
            try connection.execute(update, arguments)
            connection.announce(Item.table, key: "\(record.id)")
            return present
        }
    }

    func delete(_ id: Int) async throws {
        try await database.write { [table] connection in
            guard try connection.execute(table.delete, [id.databaseValue]) > 0 else {
                throw ServiceError.noRecord(Item.noun, id, link: Item.link)
            }
            connection.announce(Item.table, key: "\(id)")
        }
    }

    func createAll(
        _ read: @escaping @Sendable (_ add: (Item) throws -> Void) throws -> Void
    ) async throws -> Int {
        do {
            return try await database.write { [table] connection in
                connection.announce(Item.table)
                return try connection.insert(into: table.table, table.columns) { add in
                    try read { try add(table.values(of: $0)) }
                }
            }
        } catch let error as DatabaseError where error.code == .uniqueViolation {
            throw ServiceError.notUnique(
                Item.noun, Item.fields.all.filter(\.traits.isUnique).map(\.name), error)
        }
    }

    func part(_ number: Int, after last: Item?) async throws -> [Item] {
        let arguments = [(last?.id ?? 0).databaseValue, 1_000.databaseValue]
        return try await database.read { [table] connection in
            try connection.query(table.afterID, arguments, decode: RecordTable<Item>.decode)
        }
    }
}

extension RecordTable {
    fileprivate func record(_ id: Int, on connection: any DatabaseConnection) throws -> Item {
        guard let found = try connection.first(byID, [id.databaseValue], decode: Self.decode) else {
            throw ServiceError.noRecord(Item.noun, id, link: Item.link)
        }
        return found
    }

    fileprivate func checkUnique(
        _ record: Item, _ fields: [RecordField<Item>], on connection: any DatabaseConnection
    ) throws {
        for field in fields where field.traits.isUnique && field.text(of: record) != nil {
            let (select, arguments) = duplicate(field, of: record)
            let other: Int? = try connection.first(select, arguments) { try $0.value(0) }
            if other != nil { throw ValidationError(findings: [.notUnique(field, of: record)]) }
        }
    }
}

extension Record {
    /// Takes over some fields of `record`, which were as in `base` when it was read.
    ///
    /// - Throws: ``ServiceError`` `changedMeanwhile`.
    mutating func apply(_ fields: [RecordField<Self>], of record: Self, from base: Self) throws {
        let lost = fields.filter { !$0.isEqual(self, base) && !$0.isEqual(self, record) }
        guard lost.isEmpty else { throw ServiceError.changedMeanwhile(Self.noun, lost.map(\.name)) }
        for field in fields { field.copy(from: record, to: &self) }
    }
}
