import AtriumKit
import Observation

/// The limit of a purchase.
@MainActor
@Observable
final class SettingsViewModel: ViewModel {
    private(set) var wallet: Wallet?
    private let wallets: any WalletRepository

    init(wallets: any WalletRepository) {
        self.wallets = wallets
    }

    var limit: String? { wallet.map { formatted(cents: $0.limit.multipliedClamped(by: 100)) } }

    func load() async throws {
        wallet = try await wallets.wallet()
    }

    func setLimit(_ euros: Int) async throws -> ActionResult {
        try await wallets.setLimit(euros)
        let limit = formatted(cents: euros.multipliedClamped(by: 100))
        return await .made("A purchase may cost at most \(limit).") { try await load() }
    }
}
