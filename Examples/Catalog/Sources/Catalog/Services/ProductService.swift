import AtriumKit

/// Where products are kept.
protocol ProductService: Sendable {
    func products() async throws -> [Product]
    func add(_ product: Product) async throws
}

/// Products in the module's own database.
struct LocalProductService: ProductService {
    let database: any Database

    func products() async throws -> [Product] {
        try await database.read { connection in
            try connection.query("SELECT name, cents FROM products ORDER BY name", []) { row in
                Product(name: try row.value(0), cents: try row.value(1))
            }
        }
    }

    func add(_ product: Product) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                "INSERT INTO products (name, cents) VALUES (?, ?)",
                [product.name.databaseValue, product.cents.databaseValue])
        }
    }
}

/// Invented products, forgotten when the host ends.
actor MockProductService: ProductService {
    private var list = [Product(name: "Blue lamp", cents: 4_900), Product(name: "Red chair", cents: 12_000)]

    func products() -> [Product] { list }
    func add(_ product: Product) { list.append(product) }
}
