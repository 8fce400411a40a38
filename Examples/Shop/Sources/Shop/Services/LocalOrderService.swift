import AtriumKit

/// Orders in the module's own database.
struct LocalOrderService: OrderService {
    static let migration = Migration(
        2, "create orders",
        sqlite: """
            CREATE TABLE orders (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                account TEXT NOT NULL,
                product TEXT NOT NULL,
                quantity INTEGER NOT NULL,
                cents INTEGER NOT NULL,
                at INTEGER NOT NULL
            ) STRICT;
            CREATE INDEX ordersByAccount ON orders (account, id);
            """,
        postgresql: """
            CREATE TABLE orders (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                account text NOT NULL,
                product text NOT NULL,
                quantity bigint NOT NULL,
                cents bigint NOT NULL,
                at bigint NOT NULL
            );
            CREATE INDEX ordersByAccount ON orders (account, id);
            """)

    let database: any Database

    func orders(of account: String) async throws -> [Order] {
        try await database.read { connection in
            try connection.query(
                "SELECT id, product, quantity, cents, at FROM orders WHERE account = ? ORDER BY id DESC",
                [account.databaseValue]
            ) { row in
                let quantity: Bounded<Order.Quantities> = try row.value(2)
                let cents: Bounded<Order.Amounts> = try row.value(3)
                return Order(
                    id: try row.value(0), product: try row.value(1), quantity: quantity.wrappedValue,
                    cents: cents.wrappedValue, at: try row.value(4))
            }
        }
    }

    func create(_ offer: Offer, quantity: Int, at moment: Timestamp, of account: String) async throws -> Order
    {
        let cents = offer.cents.multipliedClamped(by: quantity)
        let ids: [Int] = try await database.write { connection in
            try connection.query(
                """
                INSERT INTO orders (account, product, quantity, cents, at) VALUES (?, ?, ?, ?, ?) RETURNING id
                """,
                [
                    account.databaseValue, offer.name.databaseValue, quantity.databaseValue,
                    cents.databaseValue, moment.databaseValue,
                ]
            ) { try $0.value(0) }
        }
        return Order(id: ids[0], product: offer.name, quantity: quantity, cents: cents, at: moment)
    }
}
