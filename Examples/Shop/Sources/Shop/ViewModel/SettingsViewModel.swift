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
        try await load()
        return .updated("A purchase may cost at most \(formatted(cents: euros * 100)).")
    }
}
