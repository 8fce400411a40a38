import AtriumKit

/// Products in the module's own database.
struct LocalProductService: ProductService {
    /// A change of the tables is a further migration; one that was released stays as it is.
    static let migrations = [
        Migration(
            1, "create products",
            sqlite: "CREATE TABLE products (name TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT",
            postgresql: "CREATE TABLE products (name text PRIMARY KEY, cents bigint NOT NULL)"),
        Migration(
            2, "number products, and say which are available",
            sqlite: """
                CREATE TABLE numbered (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    name TEXT NOT NULL UNIQUE,
                    cents INTEGER NOT NULL,
                    availability TEXT NOT NULL DEFAULT 'available'
                ) STRICT;
                INSERT INTO numbered (name, cents) SELECT name, cents FROM products ORDER BY name;
                DROP TABLE products;
                ALTER TABLE numbered RENAME TO products;
                """,
            postgresql: """
                CREATE TABLE numbered (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    name text NOT NULL UNIQUE,
                    cents bigint NOT NULL,
                    availability text NOT NULL DEFAULT 'available'
                );
                INSERT INTO numbered (name, cents) SELECT name, cents FROM products ORDER BY name;
                DROP TABLE products;
                ALTER TABLE numbered RENAME TO products;
                """),
    ]

    /// What is announced when products change.
    static let topic = "products"

    let database: any Database

    func products() async throws -> [Product] {
        try await database.read { connection in
            try connection.query("SELECT id, name, cents, availability FROM products", []) { row in
                let cents: Bounded<Price.Limits> = try row.value(2)
                return Product(
                    id: try row.value(0), name: try row.value(1), price: Price(cents: cents.wrappedValue),
                    availability: Availability(rawValue: try row.value(3)) ?? .soldOut)
            }
        }
    }

    func add(_ draft: ProductDraft) async throws -> Product {
        let ids: [Int] = try await database.write { connection in
            connection.announce(Self.topic)
            return try connection.query(
                "INSERT INTO products (name, cents) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING id",
                [draft.name.databaseValue, draft.price.cents.databaseValue]
            ) { try $0.value(0) }
        }
        guard let id = ids.first else { throw ServiceError.duplicate(draft.name) }
        return Product(id: id, name: draft.name, price: draft.price)
    }

    func mark(_ id: Int, _ availability: Availability) async throws {
        let changed = try await database.write { connection in
            connection.announce(Self.topic)
            return try connection.execute(
                "UPDATE products SET availability = ? WHERE id = ?",
                [availability.rawValue.databaseValue, id.databaseValue])
        }
        guard changed > 0 else { throw ServiceError.noProduct(id) }
    }
}
