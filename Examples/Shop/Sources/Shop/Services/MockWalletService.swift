import AtriumKit

/// A card for each account, forgotten when the host ends; expired in scenario edge, with a limit of a euro.
actor MockWalletService: WalletService {
    private let behavior: MockBehavior
    private let limit: Int
    private var wallets: [String: Wallet] = [:]

    init(behavior: MockBehavior, limit: Int) {
        (self.behavior, self.limit) = (behavior, limit)
    }

    private var first: Wallet {
        let isEdge = behavior.scenario.kind == .edge
        let card = Expiry(rawValue: isEdge ? "01/00" : "12/99").map {
            Card(lastDigits: isEdge ? "0005" : "4242", expiry: $0)
        }
        return Wallet(card: card, limit: isEdge ? 1 : limit)
    }

    func wallet(of account: String) async throws -> Wallet {
        try await play("wallet", ["account": account])
        return wallets[account] ?? first
    }

    func save(_ card: Card?, limit: Int?, of account: String) async throws {
        try await play(
            "save", ["account": account, "card": card?.lastDigits, "limit": limit.map { "\($0)" }])
        var wallet = wallets[account] ?? first
        if let card { wallet.card = card }
        if let limit { (wallet.limit, wallet.hasOwnLimit) = (limit, true) }
        wallets[account] = wallet
    }

    private func play(_ call: String, _ arguments: [String: String?]) async throws {
        try await behavior.play(
            call, arguments.compactMapValues(\.self),
            failingWith: ServiceError.unavailable("The payment service", mock: "WalletService"))
    }
}
