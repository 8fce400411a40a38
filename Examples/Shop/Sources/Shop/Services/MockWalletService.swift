import AtriumKit

/// Everybody has a card, forgotten when the host ends; in scenario edge it has expired, and the limit is a euro.
actor MockWalletService: WalletService {
    private let behavior: MockBehavior
    private let limit: Int
    private var wallets: [String: Wallet] = [:]

    init(behavior: MockBehavior, limit: Int) {
        self.behavior = behavior
        self.limit = limit
    }

    private var first: Wallet {
        behavior.scenario.kind == .edge
            ? Wallet(card: Card(lastDigits: "0005", expiry: Expiry(month: 1, year: 2000)), limit: 1)
            : Wallet(card: Card(lastDigits: "4242", expiry: Expiry(month: 12, year: 2099)), limit: limit)
    }

    func wallet(of account: String) async throws -> Wallet {
        try await play("wallet", ["account": account])
        return wallets[account] ?? first
    }

    func save(_ card: Card, of account: String) async throws {
        try await play("save", ["account": account, "card": card.lastDigits])
        wallets[account, default: first].card = card
    }

    func setLimit(_ euros: Int, of account: String) async throws {
        try await play("setLimit", ["account": account, "euros": "\(euros)"])
        wallets[account, default: first].limit = euros
        wallets[account, default: first].hasOwnLimit = true
    }

    private func play(_ call: String, _ arguments: [String: String]) async throws {
        try await behavior.play(
            call, arguments,
            failingWith: ServiceError.unavailable("The payment service", mock: "WalletService"))
    }
}
