/// The statements on the table of a record, for both engines.
///
/// Each text has a second column with its search key, which sorting, filtering and searching use.
struct RecordTable<Item: Record>: Sendable {
    /// A column, or the key of one, and its value.
    private struct Part {
        let name: String
        let field: RecordField<Item>
        let isKey: Bool

        func value(of record: Item) -> DatabaseValue {
            isKey ? .text(field.key(of: record)) : field.databaseValue(of: record)
        }
    }

    private let parts: [Part]
    let table = Item.table.quoted
    /// The columns of a row that is stored, without the id.
    let columns: [String]
    /// The id and the columns that are read, in the order of the fields.
    private let selected: String

    init() {
        parts = Item.fields.all.flatMap { field in
            [Part(name: field.name, field: field, isKey: false)]
                + (field.hasKey ? [Part(name: field.name.key, field: field, isKey: true)] : [])
        }
        columns = parts.map(\.name.quoted)
        selected = (["id"] + Item.fields.all.map(\.name)).map(\.quoted).joined(separator: ", ")
    }

    /// The column by which a field is compared.
    private static func comparable(_ field: RecordField<Item>) -> String {
        (field.hasKey ? field.name.key : field.name).quoted
    }

    // MARK: - Rows

    func values(of record: Item) -> [DatabaseValue] { parts.map { $0.value(of: record) } }

    static func decode(_ row: DatabaseRow) throws -> Item {
        var record = Item()
        record.id = try row.value(0)
        for (index, field) in Item.fields.all.enumerated() { try field.access.read(&record, row, index + 1) }
        return record
    }

    // MARK: - Statements

    var byID: String { "SELECT \(selected) FROM \(table) WHERE \"id\" = ?" }
    var delete: String { "DELETE FROM \(table) WHERE \"id\" = ?" }
    var afterID: String { "SELECT \(selected) FROM \(table) WHERE \"id\" > ? ORDER BY \"id\" LIMIT ?" }

    var insert: String {
        let placeholders = insertedColumns.map { _ in "?" }.joined(separator: ", ")
        let names = insertedColumns.joined(separator: ", ")
        return "INSERT INTO \(table) (\(names)) VALUES (\(placeholders)) RETURNING \"id\""
    }

    /// The columns of a new row; a table counts numbers itself.
    var insertedColumns: [String] { (Item.ID.isText ? ["id".quoted] : []) + columns }

    func inserted(_ record: Item, _ ids: IDSource) -> [DatabaseValue] {
        (Item.ID.newID(from: ids).map { [$0.databaseValue] } ?? []) + values(of: record)
    }

    /// The statement that stores some fields, and its arguments.
    func update(_ record: Item, _ fields: [RecordField<Item>]) -> (String, [DatabaseValue]) {
        let names = Set(fields.map(\.name))
        let changed = parts.filter { names.contains($0.field.name) }
        let settings = changed.map { "\($0.name.quoted) = ?" }.joined(separator: ", ")
        return (
            "UPDATE \(table) SET \(settings) WHERE \"id\" = ?",
            changed.map { $0.value(of: record) } + [record.id.databaseValue]
        )
    }

    func page(_ query: RecordQuery<Item>, _ dialect: Dialect) throws -> (String, [DatabaseValue]) {
        let (filter, arguments) = try self.filter(query, dialect)
        var order = "\"id\""
        if let sort = query.sort {
            let field = try Item.fields.field(sort.field, among: Item.fields.sorted)
            let direction = sort.isDescending ? " DESC" : ""
            // Only where a value may be missing: PostgreSQL uses no index for an order of its own.
            let mayMiss = field.isOptional && !field.hasKey
            let nulls = mayMiss ? (sort.isDescending ? " NULLS LAST" : " NULLS FIRST") : ""
            order = "\(Self.comparable(field))\(direction)\(nulls), \"id\"\(direction)"
        }
        return (
            "SELECT \(selected) FROM \(table)\(filter) ORDER BY \(order) LIMIT ? OFFSET ?",
            arguments + [query.size.databaseValue, query.offset.databaseValue]
        )
    }

    func total(_ query: RecordQuery<Item>, _ dialect: Dialect) throws -> (String, [DatabaseValue]) {
        let (filter, arguments) = try filter(query, dialect)
        return ("SELECT count(*) FROM \(table)\(filter)", arguments)
    }

    private func filter(_ query: RecordQuery<Item>, _ dialect: Dialect) throws -> (String, [DatabaseValue]) {
        var conditions: [String] = []
        var arguments: [DatabaseValue] = []
        if let keys = query.searchKeys {
            let position = dialect == .sqlite ? "instr" : "strpos"
            let columns = Item.fields.searched.filter(\.hasKey).map(Self.comparable)
            let found = columns.flatMap { column in keys.map { _ in "\(position)(\(column), ?) > 0" } }
            conditions.append("(\(found.joined(separator: " OR ")))")
            arguments += columns.flatMap { _ in keys.map { .text($0) } }
        }
        for (field, example) in try query.filterValues() {
            let values = Self.compared(field, of: example)
            // A missing text has an empty key.
            let isNull = values == [.null]
            conditions.append("\(Self.comparable(field)) \(isNull ? "IS NULL" : Self.isAny(of: values))")
            if !isNull { arguments += values }
        }
        return (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "), arguments)
    }

    /// The values that a field is compared with; several for a text that may be stored in several forms.
    private static func compared(_ field: RecordField<Item>, of record: Item) -> [DatabaseValue] {
        field.hasKey ? field.keys(of: record).map { .text($0) } : [field.databaseValue(of: record)]
    }

    private static func isAny(of values: [DatabaseValue]) -> String {
        values.count == 1 ? "= ?" : "IN (\(values.map { _ in "?" }.joined(separator: ", ")))"
    }

    /// The statement that finds another record with the same value.
    func duplicate(_ field: RecordField<Item>, of record: Item) -> (String, [DatabaseValue]) {
        let values = Self.compared(field, of: record)
        return (
            "SELECT \"id\" FROM \(table) WHERE \(Self.comparable(field)) \(Self.isAny(of: values)) "
                + "AND \"id\" <> ? LIMIT 1",
            values + [record.id.databaseValue]
        )
    }

    /// The statement that reads the values of a field, each in the record of its least id, and the number of
    /// records with it after the columns of a record; its argument is the limit.
    func values(_ field: RecordField<Item>, _ sort: RecordValuesSort) -> String {
        let key = Self.comparable(field)
        let order = (sort == .mostUsed ? "\"value_used\" DESC, " : "") + key
        return """
            SELECT \(selected), "value_used" FROM \(table) JOIN (
                SELECT min("id") AS "value_first", count(*) AS "value_used" FROM \(table)
                WHERE \(Self.hasValue(field)) GROUP BY \(key)
            ) AS "value_rows" ON "id" = "value_first" ORDER BY \(order) LIMIT ?
            """
    }

    /// The condition that a record has a value; a missing text has an empty key, as an empty one.
    private static func hasValue(_ field: RecordField<Item>) -> String {
        field.hasKey ? "\(field.name.key.quoted) <> ''" : "\(field.name.quoted) IS NOT NULL"
    }

    func valueCount(_ field: RecordField<Item>) -> String {
        "SELECT count(DISTINCT \(Self.comparable(field))) FROM \(table) WHERE \(Self.hasValue(field))"
    }

    func deleteAll(_ query: RecordQuery<Item>, _ dialect: Dialect) throws -> (String, [DatabaseValue]) {
        let (filter, arguments) = try filter(query, dialect)
        return ("DELETE FROM \(table)\(filter)", arguments)
    }
}

extension String {
    /// The name in double quotes, as SQL writes identifiers.
    var quoted: String { "\"\(self)\"" }
    /// The name of the column with the search key.
    var key: String { "\(self)_key" }
}
