import AtriumKit

/// The statements of the local entity service.
///
/// A page in any order walks one index to its first row and reads only the rows of the page. After a known
/// entity it begins there; otherwise the time is proportional to the entities before the page, a small index
/// entry each. Triggers count the totals. They can't maintain the text index (see ``EntitySearch``): SQLite
/// 3.40 lets no trigger write to a virtual table in an untrusted schema. PostgreSQL maintains its index
/// itself.
enum EntityQueries {
    static let columns = "id, name, category, notes, createdAt, updatedAt"

    static let byID = "SELECT \(columns) FROM entities WHERE id = ?"

    static let insertedColumns = [
        "name", "category", "notes", "nameKey", "categoryKey", "searchKey", "createdAt", "updatedAt",
    ]

    static let insertReturningID =
        "INSERT INTO entities (\(insertedColumns.joined(separator: ", "))) "
        + "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id"

    static let update = """
        UPDATE entities
        SET name = ?, category = ?, notes = ?, nameKey = ?, categoryKey = ?, searchKey = ?, updatedAt = ?
        WHERE id = ?
        """

    /// The greatest id; no row if there are no entities.
    static let lastID = "SELECT id FROM entities ORDER BY id DESC LIMIT 1"

    static let delete = "DELETE FROM entities WHERE id = ?"

    static let deleteAll = "DELETE FROM entities"

    /// The statement that finds the ids, and its arguments.
    static func found(_ query: RecordQuery<Entity>, _ dialect: Dialect) -> (String, [DatabaseValue]) {
        let text = "SELECT entities.id FROM \(source(query, dialect))\(filter(query, dialect))"
        return (text, filterArguments(query, dialect))
    }

    static func page(_ query: RecordQuery<Entity>, _ dialect: Dialect, after last: Entity? = nil) -> String {
        // For a search, the plus sign keeps SQLite from walking an index in list order, which would read the
        // table in random order; SQLite then reads the table once and keeps the best rows.
        let keys =
            (query.sort.map { ["\(query.search == nil || dialect != .sqlite ? "" : "+")\($0.column)"] } ?? [])
            + ["id"]
        let (direction, side) = query.sort?.isDescending ?? false ? (" DESC", "<") : ("", ">")
        let placeholders = keys.map { _ in "?" }.joined(separator: ", ")
        let start = "(\(keys.joined(separator: ", "))) \(side) (\(placeholders))"
        let filter = filter(query, dialect, and: last.map { _ in start })
        let order = "ORDER BY " + keys.map { $0 + direction }.joined(separator: ", ")
        let rest = "FROM \(source(query, dialect))\(filter) \(order) LIMIT ? OFFSET ?"
        // PostgreSQL would read all rows before the page; the index alone finds the ids.
        let isFar = dialect == .postgresql && last == nil && query.offset > 0
        let far = "SELECT \(columns) FROM entities JOIN (SELECT id \(rest)) AS page USING (id) \(order)"
        return isFar ? far : "SELECT \(columns) \(rest)"
    }

    /// The number of entities; no row if there are none.
    static func total(_ query: RecordQuery<Entity>, _ dialect: Dialect) -> String {
        if query.search != nil {
            // Without a category, the index is enough.
            let isIndexed = query.categoryKeys == nil && EntitySearch(query, dialect).hasTable
            let source = isIndexed ? EntitySearch.table : source(query, dialect)
            return "SELECT count(*) FROM \(source)\(filter(query, dialect))"
        }
        if let condition = query.categoryCondition {
            return "SELECT CAST(coalesce(sum(count), 0) AS bigint) FROM categoryTotals WHERE \(condition)"
        }
        return "SELECT count FROM entityTotal"
    }

    static let after = "SELECT \(columns) FROM entities WHERE id > ? ORDER BY id LIMIT ?"

    /// The first categories, each in the spelling of its first entity.
    ///
    /// Reads the totals, and one entity of each listed category.
    ///
    /// Arguments: limit. Columns: category, count.
    static func categories(_ sort: RecordValuesSort) -> String {
        let order =
            switch sort {
            case .name: "categoryKey"
            case .mostUsed: "count DESC, categoryKey"
            }
        return """
            SELECT (
                SELECT category FROM entities WHERE entities.categoryKey = listed.categoryKey
                ORDER BY createdAt, id LIMIT 1
            ), count
            FROM (
                SELECT categoryKey, count FROM categoryTotals WHERE categoryKey > ''
                ORDER BY \(order) LIMIT ?
            ) AS listed
            ORDER BY \(order)
            """
    }

    static let categoryTotal = "SELECT count(*) FROM categoryTotals WHERE categoryKey > ''"

    private static func source(_ query: RecordQuery<Entity>, _ dialect: Dialect) -> String {
        guard query.search != nil, EntitySearch(query, dialect).hasTable else { return "entities" }
        // In this order, because a search finds fewer rows than the table has.
        return "\(EntitySearch.table) CROSS JOIN entities ON entities.id = \(EntitySearch.table).rowid"
    }

    private static func filter(
        _ query: RecordQuery<Entity>, _ dialect: Dialect, and condition: String? = nil
    ) -> String {
        var conditions = condition.map { [$0] } ?? []
        if let condition = query.categoryCondition { conditions.append(condition) }
        if query.search != nil { conditions.append(EntitySearch(query, dialect).condition) }
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }
}

extension EntityQueries {
    static func filterArguments(_ query: RecordQuery<Entity>, _ dialect: Dialect) -> [DatabaseValue] {
        let category = query.categoryKeys?.map { DatabaseValue.text($0) } ?? []
        return query.search == nil ? category : category + EntitySearch(query, dialect).arguments
    }

    static func arguments(after last: Entity, _ sort: RecordSort?) -> [DatabaseValue] {
        let key = sort.map { sort in
            sort.field == "name" ? .text(SearchKey.of(last.name)) : last.createdAt.databaseValue
        }
        return [key, last.id.databaseValue].compactMap(\.self)
    }

    /// The values of an entity's texts and their keys.
    private static func texts(_ entity: Entity) -> [DatabaseValue] {
        [
            .text(entity.name), entity.category.databaseValue, entity.notes.databaseValue,
            .text(SearchKey.of(entity.name)), .text(SearchKey.of(entity.category ?? "")),
            .text(entity.searchKey),
        ]
    }

    static func arguments(inserting entity: Entity) -> [DatabaseValue] {
        texts(entity) + [entity.createdAt.databaseValue, entity.updatedAt.databaseValue]
    }

    static func arguments(updating entity: Entity) -> [DatabaseValue] {
        texts(entity) + [entity.updatedAt.databaseValue, entity.id.databaseValue]
    }

    static func entity(_ row: DatabaseRow) throws -> Entity {
        Entity(
            id: try row.value(0), name: try row.value(1), category: try row.value(2), notes: try row.value(3),
            createdAt: try row.value(4), updatedAt: try row.value(5))
    }
}

extension RecordQuery<Entity> {
    fileprivate var categoryKeys: [String]? { filters["category"].map(SearchKey.forms) }

    /// The condition on a row's category; several keys only for a text that may be stored in several forms.
    fileprivate var categoryCondition: String? {
        categoryKeys.map { keys in
            keys.count == 1
                ? "categoryKey = ?" : "categoryKey IN (\(keys.map { _ in "?" }.joined(separator: ", ")))"
        }
    }
}

extension RecordSort {
    /// The column of its index; ties are broken by id.
    fileprivate var column: String { field == "name" ? "nameKey" : "createdAt" }
}
