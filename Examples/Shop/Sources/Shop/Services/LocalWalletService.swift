import AtriumKit

/// Wallets in the module's own database.
struct LocalWalletService: WalletService {
    static let migration = Migration(
        2, "create wallets",
        sql: "CREATE TABLE wallets (account TEXT PRIMARY KEY, digits TEXT, expires TEXT, euros BIGINT)")

    let database: any Database
    /// The limit of users who set none.
    let limit: Int

    func wallet(of account: String) async throws -> Wallet {
        let found = try await database.read { [limit] connection in
            try connection.first(
                "SELECT digits, expires, euros FROM wallets WHERE account = ?", [account.databaseValue]
            ) { row in
                let (digits, expiry): (String?, Expiry?) = (try row.value(0), try row.value(1))
                let card = digits.flatMap { digits in expiry.map { Card(lastDigits: digits, expiry: $0) } }
                let euros: Int? = try row.value(2)
                return Wallet(card: card, limit: euros ?? limit, hasOwnLimit: euros != nil)
            }
        }
        return found ?? Wallet(limit: limit)
    }

    func save(_ card: Card?, limit: Int?, of account: String) async throws {
        let values = [(card?.lastDigits).databaseValue, (card?.expiry).databaseValue, limit.databaseValue]
        try await database.write { connection in
            _ = try connection.execute(
                """
                INSERT INTO wallets (account, digits, expires, euros) VALUES (?, ?, ?, ?)
                ON CONFLICT (account) DO UPDATE SET
                    digits = coalesce(excluded.digits, wallets.digits),
                    expires = coalesce(excluded.expires, wallets.expires),
                    euros = coalesce(excluded.euros, wallets.euros)
                """, [account.databaseValue] + values)
        }
    }
}
