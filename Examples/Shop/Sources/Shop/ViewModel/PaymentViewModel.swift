import AtriumKit
import Observation

/// What the signed-in person pays with.
@MainActor
@Observable
final class PaymentViewModel: ViewModel {
    private(set) var card: Card?
    private let wallets: any WalletRepository

    init(wallets: any WalletRepository) {
        self.wallets = wallets
    }

    var name: String? { card.map { "card ending in \($0.lastDigits)" } }
    var expires: String? { card?.expiry.text }

    func load() async throws {
        card = try await wallets.wallet().card
    }

    func save(number: String, expires: Expiry) async throws -> ActionResult {
        let card = try await wallets.save(CardDraft(number: number, expiry: expires))
        self.card = card
        return .updated("Saved the card ending in \(card.lastDigits).")
    }
}
