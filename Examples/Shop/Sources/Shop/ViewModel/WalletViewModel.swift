import AtriumKit
import Observation

/// What the signed-in user pays with, and how much at most.
@MainActor
@Observable
final class WalletViewModel: ViewModel {
    private(set) var wallet: Wallet?
    private let wallets: any WalletRepository

    init(wallets: any WalletRepository) { self.wallets = wallets }

    /// The card, never its whole number.
    var method: String? { wallet?.card.map { "card ending in \($0.lastDigits)" } }
    var limit: String? { wallet.map { Money(euros: $0.limit).euros } }
    var setBy: String? { wallet.map { $0.hasOwnLimit ? "you" : "the host" } }

    func load() async throws { wallet = try await wallets.wallet() }

    func save(_ number: String, expires: Expiry) async throws -> ActionResult {
        let number = CardNumber(number)
        try await wallets.save(number, expires)
        return await .made("Saved the card ending in \(number.lastDigits).") { try await load() }
    }

    func setLimit(_ euros: Int) async throws -> ActionResult {
        try await wallets.setLimit(euros)
        let limit = Money(euros: euros).euros
        return await .made("A purchase may cost at most \(limit).") { try await load() }
    }
}
