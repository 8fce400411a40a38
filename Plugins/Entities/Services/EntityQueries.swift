import AtriumKit

/// The tables of the local entity service and every statement on them.
///
/// A page in any order walks one index to its first row and reads only the rows of the page; how long that
/// takes grows with the number of entities before the page, a small index entry each. Totals are counted by
/// triggers as entities come and go. A search reads every entity (of the category, where one is given).
enum EntityQueries {
    static let migrations = [
        Migration(
            1, "create entities",
            sql: """
                CREATE TABLE entities (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL,
                    category TEXT,
                    notes TEXT,
                    createdAt INTEGER NOT NULL,
                    updatedAt INTEGER NOT NULL,
                    nameKey TEXT NOT NULL,
                    categoryKey TEXT NOT NULL,
                    searchKey TEXT NOT NULL
                ) STRICT;
                CREATE INDEX entities_name ON entities (nameKey);
                CREATE INDEX entities_created ON entities (createdAt);
                CREATE INDEX entities_category_name ON entities (categoryKey, nameKey);
                CREATE INDEX entities_category_created ON entities (categoryKey, createdAt);

                CREATE TABLE entityTotal (
                    count INTEGER NOT NULL
                ) STRICT;
                INSERT INTO entityTotal (count) VALUES (0);
                CREATE TABLE categoryTotals (
                    categoryKey TEXT PRIMARY KEY,
                    count INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;

                CREATE TRIGGER entities_inserted AFTER INSERT ON entities BEGIN
                    UPDATE entityTotal SET count = count + 1;
                    INSERT INTO categoryTotals (categoryKey, count) VALUES (new.categoryKey, 1)
                        ON CONFLICT (categoryKey) DO UPDATE SET count = count + 1;
                END;
                CREATE TRIGGER entities_deleted AFTER DELETE ON entities BEGIN
                    UPDATE entityTotal SET count = count - 1;
                    UPDATE categoryTotals SET count = count - 1 WHERE categoryKey = old.categoryKey;
                    DELETE FROM categoryTotals WHERE categoryKey = old.categoryKey AND count = 0;
                END;
                CREATE TRIGGER entities_moved AFTER UPDATE OF categoryKey ON entities
                WHEN old.categoryKey <> new.categoryKey BEGIN
                    INSERT INTO categoryTotals (categoryKey, count) VALUES (new.categoryKey, 1)
                        ON CONFLICT (categoryKey) DO UPDATE SET count = count + 1;
                    UPDATE categoryTotals SET count = count - 1 WHERE categoryKey = old.categoryKey;
                    DELETE FROM categoryTotals WHERE categoryKey = old.categoryKey AND count = 0;
                END;
                """)
    ]

    private static let columns = "id, name, category, notes, createdAt, updatedAt"

    /// One entity.
    ///
    /// Arguments: id. Columns: those of ``entity(_:)``.
    static let byID = "SELECT \(columns) FROM entities WHERE id = ?"

    /// Creates an entity.
    ///
    /// Arguments: those of ``arguments(inserting:at:)``.
    static let insert = """
        INSERT INTO entities (name, category, notes, createdAt, updatedAt, nameKey, categoryKey, searchKey)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Changes an entity.
    ///
    /// Arguments: those of ``arguments(updating:)``.
    static let update = """
        UPDATE entities
        SET name = ?, category = ?, notes = ?, updatedAt = ?, nameKey = ?, categoryKey = ?, searchKey = ?
        WHERE id = ?
        """

    /// Deletes an entity.
    ///
    /// Arguments: id.
    static let delete = "DELETE FROM entities WHERE id = ?"

    /// One page.
    ///
    /// Arguments: those of ``filterArguments(_:)``, then size and offset. Columns: those of ``entity(_:)``.
    static func page(_ query: EntityQuery) -> String {
        "SELECT \(columns) FROM entities\(filter(query)) ORDER BY \(order(query)) LIMIT ? OFFSET ?"
    }

    /// How many entities there are; no row where there are none.
    ///
    /// Arguments: those of ``filterArguments(_:)``.
    static func total(_ query: EntityQuery) -> String {
        if query.search != nil { return "SELECT count(*) FROM entities\(filter(query))" }
        if query.category != nil { return "SELECT count FROM categoryTotals WHERE categoryKey = ?" }
        return "SELECT count FROM entityTotal"
    }

    /// Some of the categories, each as it is written in the entity that was created first.
    ///
    /// Reads the totals that triggers keep, and of each category one entity; no more than it lists.
    ///
    /// Arguments: limit. Columns: category, count.
    static func categories(_ sort: CategorySort) -> String {
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
                SELECT categoryKey, count FROM categoryTotals WHERE categoryKey > '' ORDER BY \(order) LIMIT ?
            ) AS listed
            ORDER BY \(order)
            """
    }

    /// How many categories there are.
    static let categoryTotal = "SELECT count(*) FROM categoryTotals WHERE categoryKey > ''"

    private static func filter(_ query: EntityQuery) -> String {
        var conditions: [String] = []
        if query.category != nil { conditions.append("categoryKey = ?") }
        if query.search != nil { conditions.append("instr(searchKey, ?) > 0") }
        return conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    private static func order(_ query: EntityQuery) -> String {
        // A search has no index to walk. The plus signs keep SQLite from walking one in the wanted order,
        // which would read the table at random places; it reads the table once and keeps the best rows.
        let plus = query.search == nil ? "" : "+"
        return switch query.sort {
        case .name: "\(plus)nameKey, id"
        case .nameDescending: "\(plus)nameKey DESC, id DESC"
        case .oldest: "\(plus)createdAt, id"
        case .newest: "\(plus)createdAt DESC, id DESC"
        }
    }
}

extension EntityQueries {
    /// The values for the filter of ``page(_:)`` and ``total(_:)``, in order.
    static func filterArguments(_ query: EntityQuery) -> [DatabaseValue] {
        [query.category, query.search].compactMap { $0.map { .text(SearchKey.of($0)) } }
    }

    /// The values for ``insert``.
    static func arguments(inserting draft: EntityDraft, at moment: Timestamp) -> [DatabaseValue] {
        [
            .text(draft.name), draft.category.databaseValue, draft.notes.databaseValue,
            moment.databaseValue, moment.databaseValue,
        ] + keys(name: draft.name, category: draft.category, notes: draft.notes)
    }

    /// The values for ``update``.
    static func arguments(updating entity: Entity) -> [DatabaseValue] {
        [
            .text(entity.name), entity.category.databaseValue, entity.notes.databaseValue,
            entity.updatedAt.databaseValue,
        ] + keys(name: entity.name, category: entity.category, notes: entity.notes) + [
            .integer(Int64(entity.id))
        ]
    }

    private static func keys(name: String, category: String?, notes: String?) -> [DatabaseValue] {
        [
            .text(SearchKey.of(name)), .text(SearchKey.of(category ?? "")),
            .text(SearchKey.ofAll(name: name, category: category, notes: notes)),
        ]
    }

    /// Reads one row.
    static func entity(_ row: DatabaseRow) throws -> Entity {
        Entity(
            id: try row.value(0), name: try row.value(1), category: try row.value(2), notes: try row.value(3),
            createdAt: try row.value(4), updatedAt: try row.value(5))
    }
}
