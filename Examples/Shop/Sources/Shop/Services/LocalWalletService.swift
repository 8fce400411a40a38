import AtriumKit

/// Wallets in the module's own database.
struct LocalWalletService: WalletService {
    static let migration = Migration(
        1, "create wallets",
        sqlite: """
            CREATE TABLE wallets (
                account TEXT PRIMARY KEY,
                lastDigits TEXT,
                month INTEGER,
                year INTEGER,
                euros INTEGER
            ) STRICT
            """,
        postgresql: """
            CREATE TABLE wallets (
                account text PRIMARY KEY,
                lastDigits text,
                month bigint,
                year bigint,
                euros bigint
            )
            """)

    let database: any Database
    /// The limit of people who set none.
    let limit: Int

    func wallet(of account: String) async throws -> Wallet {
        let found = try await database.read { connection in
            try connection.first(
                "SELECT lastDigits, month, year, euros FROM wallets WHERE account = ?",
                [account.databaseValue]
            ) { row in
                let lastDigits: String? = try row.value(0)
                let card = try lastDigits.map {
                    let month: Bounded<Expiry.Months> = try row.value(1)
                    let year: Bounded<Expiry.Years> = try row.value(2)
                    let expiry = Expiry(month: month.wrappedValue, year: year.wrappedValue)
                    return Card(lastDigits: $0, expiry: expiry)
                }
                let euros: Bounded<Wallet.Limits>? = try row.value(3)
                return Wallet(card: card, limit: euros?.wrappedValue ?? limit, hasOwnLimit: euros != nil)
            }
        }
        return found ?? Wallet(limit: limit)
    }

    func save(_ card: Card, of account: String) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO wallets (account, lastDigits, month, year) VALUES (?, ?, ?, ?)
                ON CONFLICT (account) DO UPDATE
                SET lastDigits = excluded.lastDigits, month = excluded.month, year = excluded.year
                """,
                [
                    account.databaseValue, card.lastDigits.databaseValue, card.expiry.month.databaseValue,
                    card.expiry.year.databaseValue,
                ])
        }
    }

    func setLimit(_ euros: Int, of account: String) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO wallets (account, euros) VALUES (?, ?)
                ON CONFLICT (account) DO UPDATE SET euros = excluded.euros
                """, [account.databaseValue, euros.databaseValue])
        }
    }
}
