/// Where payment methods and limits are kept, by account.
protocol WalletService: Sendable {
    func wallet(of account: String) async throws -> Wallet
    func save(_ card: Card, of account: String) async throws
    func setLimit(_ euros: Int, of account: String) async throws
}
