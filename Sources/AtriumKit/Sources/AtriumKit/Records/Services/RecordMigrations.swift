/// A column of a record's table, from the version that adds it to the one that removes it.
struct RecordColumn: Sendable {
    private let name: String
    private let type: ColumnType
    private let isOptional: Bool
    private let hasKey: Bool
    private let initial: DatabaseValue
    private let traits: FieldTraits
    /// The version that has the column first; nil for that of the table.
    private var added: Int? { traits.version }
    private let removed: Int?

    fileprivate init(
        _ name: String, _ type: ColumnType, isOptional: Bool, hasKey: Bool, initial: DatabaseValue,
        _ traits: FieldTraits, removed: Int? = nil
    ) {
        (self.name, self.type, self.isOptional, self.initial) = (name, type, isOptional, initial)
        (self.hasKey, self.traits, self.removed) = (hasKey, traits, removed)
    }

    /// The columns of a record's table, also those that are gone, by their first name: fields may change their
    /// order and their names.
    static func all<Item: Record>(of type: Item.Type) -> [RecordColumn] {
        let present = Item.fields.all.map { field in
            RecordColumn(
                field.name, field.access.columnType, isOptional: field.isOptional, hasKey: field.hasKey,
                initial: field.databaseValue(of: Item()), field.traits)
        }
        return (present + Item.formerFields.map(\.column)).sorted { $0.firstName < $1.firstName }
    }

    /// The versions that change the column, but for that of the table.
    var versions: [Int] {
        [added, removed, traits.indexVersion].compactMap(\.self) + traits.formerNames.keys
    }

    /// The part missing for the step that adds the column to records that exist; nil if none is.
    var problem: String? {
        guard added != nil, !isOptional, initial == .null else { return nil }
        return "the former field '\(name)' needs its default, for records that were there before it"
    }

    /// True if the step to `version` may break builds that don't know it.
    func isBroken(by version: Int) -> Bool { removed == version || traits.formerNames[version] != nil }

    private func name(in version: Int) -> String {
        traits.formerNames.filter { $0.key > version }.min { $0.key < $1.key }?.value ?? name
    }

    private var firstName: String { name(in: 0) }

    /// The definitions of the column and its key in a version.
    func definitions(in version: Int, _ dialect: Dialect) -> [String] {
        let name = name(in: version)
        let end = isOptional ? "" : " NOT NULL"
        let collation = dialect == .postgresql ? " COLLATE \"C\"" : ""
        let order = type == .text ? collation : ""
        return ["\(name.quoted) \(type.name(in: dialect))\(order)\(end)"]
            + (hasKey ? ["\(name.key.quoted) TEXT\(collation) NOT NULL"] : [])
    }

    /// The statements that change the column in the step to `version`, after that which makes the table.
    func steps(to version: Int, of table: String, since tableVersion: Int, _ dialect: Dialect) -> [String] {
        var steps: [String] = []
        if let former = traits.formerNames[version] {
            let name = name(in: version)
            steps.append("ALTER TABLE \(table.quoted) RENAME COLUMN \(former.quoted) TO \(name.quoted)")
            if hasKey {
                steps.append(
                    "ALTER TABLE \(table.quoted) RENAME COLUMN \(former.key.quoted) TO \(name.key.quoted)")
            }
        }
        if added == version, version > tableVersion {
            let key =
                if case .text(let text) = initial { DatabaseValue.text(SearchKey.of(text)) } else {
                    DatabaseValue.text("")
                }
            for (definition, value) in zip(definitions(in: version, dialect), [initial, key]) {
                steps.append("ALTER TABLE \(table.quoted) ADD COLUMN \(definition) DEFAULT \(value.literal)")
            }
        }
        if (traits.indexVersion ?? added ?? tableVersion) == version,
            let index = index(in: version, of: table)
        {
            steps.append(index)
        }
        if removed == version {
            let name = name(in: version)
            if index(in: version, of: table) != nil { steps.append("DROP INDEX \(indexName(of: table))") }
            steps += ([name] + (hasKey ? [name.key] : [])).map {
                "ALTER TABLE \(table.quoted) DROP COLUMN \($0.quoted)"
            }
        }
        return steps
    }

    private func indexName(of table: String) -> String {
        "\(table)_\(name(in: traits.indexVersion ?? added ?? 0))".quoted
    }

    private func index(in version: Int, of table: String) -> String? {
        let compared = (hasKey ? name(in: version).key : name(in: version)).quoted
        if traits.isUnique {
            // A text that is missing has an empty key.
            let limit = hasKey ? " WHERE \(compared) <> ''" : ""
            return "CREATE UNIQUE INDEX \(indexName(of: table)) ON \(table.quoted) (\(compared))\(limit)"
        }
        guard traits.isSorted || traits.isFiltered else { return nil }
        return "CREATE INDEX \(indexName(of: table)) ON \(table.quoted) (\(compared), \"id\")"
    }
}

/// A field of a released version that is gone; its migrations stay as they were.
public struct FormerField: Sendable {
    let column: RecordColumn

    /// Describes the field as it was: its type, its default, its uses, and the version that has it no more.
    ///
    /// The default is needed if a record had to have a value, and the field was added later than the table.
    public init<Value: RecordValue>(
        _ name: String, _ type: Value.Type, default initial: Value? = nil, _ options: FieldOption<Value>...,
        removedIn version: Int
    ) {
        let absent = initial?.databaseValue ?? Value.absent?.databaseValue ?? .null
        let settings = FieldSettings(options)
        column = RecordColumn(
            name, Value.columnType, isOptional: Value.isOptional,
            hasKey: Value.isText && !settings.traits.isSecret && settings.reference == nil, initial: absent,
            settings.traits, removed: version)
    }
}

/// The migrations of one record's table.
struct RecordSchema {
    private let table: String
    private let version: Int
    private let hasTextID: Bool
    private let columns: [RecordColumn]

    init<Item: Record>(_ type: Item.Type) {
        (table, version, columns) = (Item.table, Item.tableVersion, RecordColumn.all(of: type))
        hasTextID = Item.ID.isText
    }

    var versions: [Int] { [version] + columns.flatMap(\.versions) }

    /// True if builds that don't know the step work with the table after it.
    func isBackwardCompatible(_ version: Int) -> Bool { !columns.contains { $0.isBroken(by: version) } }

    /// The statements of the migration to `version`; none if it does not concern the table.
    func steps(to version: Int, _ dialect: Dialect) -> [String] {
        (version == self.version ? [creation(dialect)] : [])
            + columns.flatMap { $0.steps(to: version, of: table, since: self.version, dialect) }
    }

    private func creation(_ dialect: Dialect) -> String {
        let id =
            switch (dialect, hasTextID) {
            case (.sqlite, false): "\"id\" INTEGER PRIMARY KEY AUTOINCREMENT"
            case (.sqlite, true): "\"id\" TEXT PRIMARY KEY"
            case (.postgresql, false): "\"id\" bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"
            case (.postgresql, true): "\"id\" text COLLATE \"C\" PRIMARY KEY"
            }
        let first = columns.filter { $0.isFirst(in: version) }.flatMap {
            $0.definitions(in: version, dialect)
        }
        let end = dialect == .sqlite ? ") STRICT" : ")"
        return "CREATE TABLE \(table.quoted) (\n    \(([id] + first).joined(separator: ",\n    "))\n\(end)"
    }
}

extension RecordColumn {
    /// True if the statement that makes the table has the column.
    fileprivate func isFirst(in tableVersion: Int) -> Bool { (added ?? tableVersion) <= tableVersion }
}

extension Migration {
    /// Returns the migrations of the tables of some records, which their fields declare.
    ///
    /// ```swift
    /// static let migrations = Migration.records(Book.self, Member.self)
    /// ```
    ///
    /// Migrations of the module itself, with numbers of their own, are given as `and`.
    ///
    /// A table or a field that is added, renamed or removed later names the version of the module's database
    /// that has it first; a released version must not change.
    public static func records<each Item: Record>(
        _ type: repeat (each Item).Type, and others: [Migration] = []
    ) -> [Migration] {
        var tables: [RecordSchema] = []
        for type in repeat each type { tables.append(RecordSchema(type)) }
        let last = (tables.flatMap(\.versions) + others.map(\.version)).max() ?? 0
        guard last > 0 else { return [] }
        let changed = Set(tables.flatMap(\.versions))
        return (1...last).flatMap { version -> [Migration] in
            let own = others.filter { $0.version == version }
            // A version of both is the host's to refuse.
            guard own.isEmpty || changed.contains(version) else { return own }
            func sql(_ dialect: Dialect) -> String {
                let steps = tables.flatMap { $0.steps(to: version, dialect) }
                return (steps.isEmpty ? ["SELECT 1"] : steps).map { $0 + ";" }.joined(separator: "\n")
            }
            let migration = Migration(
                version, "store the fields of version \(version)", sqlite: sql(.sqlite),
                postgresql: sql(.postgresql))
            let isCompatible = tables.allSatisfy { $0.isBackwardCompatible(version) }
            return [isCompatible ? migration.backwardCompatible() : migration] + own
        }
    }
}

extension DatabaseValue {
    /// The value as SQL writes it.
    fileprivate var literal: String {
        switch self {
        case .null, .blob: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.replacing("'", with: "''"))'"
        }
    }
}
