import AtriumKit

/// Items in the module's own database.
struct LocalItemService: ItemService {
    /// To change the tables, add a migration; never edit one that was released.
    static let migrations = [
        Migration(
            1, "create items",
            sqlite: """
                CREATE TABLE items (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL,
                    category TEXT,
                    quantity INTEGER NOT NULL,
                    isArchived INTEGER NOT NULL DEFAULT 0
                ) STRICT;
                CREATE INDEX itemsByName ON items (lower(name), id);
                CREATE INDEX itemsByCategory ON items (category, lower(name), id);
                """,
            postgresql: """
                CREATE TABLE items (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    name text NOT NULL,
                    category text,
                    quantity bigint NOT NULL,
                    isArchived bigint NOT NULL DEFAULT 0
                );
                CREATE INDEX itemsByName ON items (lower(name), id);
                CREATE INDEX itemsByCategory ON items (category, lower(name), id);
                """)
    ]

    let database: any Database

    func page(_ query: ItemQuery) async throws -> ItemPage {
        let filter = query.category == nil ? "" : "WHERE category = ?"
        let arguments = query.category.map { [$0.databaseValue] } ?? []
        return try await database.read { connection in
            let total: Int? = try connection.first("SELECT count(*) FROM items \(filter)", arguments) {
                try $0.value(0)
            }
            let items = try connection.query(
                "SELECT * FROM items \(filter) ORDER BY lower(name), id LIMIT ? OFFSET ?",
                arguments + [ItemQuery.pageSize.databaseValue, query.offset.databaseValue], decode: Self.item)
            return ItemPage(items: items, total: total ?? 0)
        }
    }

    func item(_ id: Int) async throws -> Item {
        let found = try await database.read { connection in
            try connection.first("SELECT * FROM items WHERE id = ?", [id.databaseValue], decode: Self.item)
        }
        guard let found else { throw ServiceError.noItem(id) }
        return found
    }

    func categories() async throws -> [String] {
        try await database.read { connection in
            try connection.query(
                "SELECT DISTINCT category FROM items WHERE category IS NOT NULL ORDER BY category", []
            ) {
                try $0.value(0)
            }
        }
    }

    func create(_ draft: ItemDraft) async throws -> Item {
        try await database.write { connection in
            let ids: [Int] = try connection.query(
                "INSERT INTO items (name, category, quantity) VALUES (?, ?, ?) RETURNING id",
                [draft.name.databaseValue, draft.category.databaseValue, draft.quantity.databaseValue]
            ) { try $0.value(0) }
            return Item(id: ids[0], draft)
        }
    }

    func update(_ item: Item) async throws {
        let changed = try await database.write { connection in
            try connection.execute(
                "UPDATE items SET name = ?, category = ?, quantity = ?, isArchived = ? WHERE id = ?",
                [
                    item.name.databaseValue, item.category.databaseValue, item.quantity.databaseValue,
                    item.isArchived.databaseValue, item.id.databaseValue,
                ])
        }
        guard changed > 0 else { throw ServiceError.noItem(item.id) }
    }

    func delete(_ id: Int) async throws {
        let deleted = try await database.write { connection in
            try connection.execute("DELETE FROM items WHERE id = ?", [id.databaseValue])
        }
        guard deleted > 0 else { throw ServiceError.noItem(id) }
    }

    private static func item(_ row: DatabaseRow) throws -> Item {
        let quantity: RowCount = try row.value("quantity")
        return Item(
            id: try row.value("id"), name: try row.value("name"), category: try row.value("category"),
            quantity: quantity.wrappedValue, isArchived: try row.value("isArchived"))
    }
}
