import AtriumKit
import Observation

/// What the signed-in user pays with, and how much at most.
@MainActor
@Observable
final class WalletViewModel: ViewModel {
    private(set) var wallet: Wallet?
    private(set) var limit: String?
    private let wallets: any WalletRepository

    init(wallets: any WalletRepository) { self.wallets = wallets }

    /// The card, never its whole number.
    var method: String? { wallet?.card.map { "card ending in \($0)" } }
    var setBy: String? { wallet.map { $0.limit == nil ? "the host" : "you" } }

    func load() async throws {
        let wallet = try await wallets.wallet()
        limit = Money(euros: try await wallets.limit(of: wallet)).euros
        self.wallet = wallet
    }

    func save(_ number: String, expires: Expiry) async throws -> ActionResult {
        wallet = try await wallets.save(CardNumber(number), expires)
        return .updated("Saved the \(method ?? "card").")
    }

    func setLimit(_ euros: Int) async throws -> ActionResult {
        try await wallets.setLimit(euros)
        let limit = Money(euros: euros).euros
        return await .made("A purchase may cost at most \(limit).") { try await load() }
    }
}
