/// The store of payment methods and limits, by account.
protocol WalletService: Sendable {
    func wallet(of account: String) async throws -> Wallet
    /// Stores a card, a limit in euros, or both; what is nil stays as it is.
    func save(_ card: Card?, limit: Int?, of account: String) async throws
}
