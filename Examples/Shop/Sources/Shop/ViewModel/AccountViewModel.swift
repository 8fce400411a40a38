import AtriumKit
import Observation

/// What the signed-in user bought, pays with, and spends at most.
@MainActor
@Observable
final class AccountViewModel: ViewModel {
    private(set) var orders: [Order] = []
    private(set) var wallet: Wallet?
    private let repository: OrderRepository
    private let wallets: WalletRepository

    init(_ repository: OrderRepository, _ wallets: WalletRepository) {
        (self.repository, self.wallets) = (repository, wallets)
    }

    /// The card, never its whole number.
    var method: String? { wallet?.card.map { "card ending in \($0)" } }
    var formattedTotal: String { orders.reduce(Money(hundredths: 0)) { $0 + $1.paid }.euros }

    func load() async throws { (wallet, orders) = (try await wallets.wallet(), try await repository.all()) }

    func save(_ number: String, expires: Expiry) async throws -> ActionResult {
        let number = CardNumber(number)
        try await wallets.save(number, expires)
        return await .made("Saved the card ending in \(number.lastDigits).") { try await load() }
    }

    func setLimit(_ limit: Money) async throws -> ActionResult {
        try await wallets.setLimit(limit)
        return await .made("A purchase may cost at most \(limit.euros).") { try await load() }
    }
}
