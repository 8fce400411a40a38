import AtriumKit

@MainActor
protocol PurchaseProduct {
    /// Buys what was shown, at the price that was shown; nothing is ordered if it throws.
    func callAsFunction(_ shown: Offer, quantity: Int) async throws -> Order
}

/// The rule that spans repositories: what is bought is available, within the limit, and can be paid.
struct PurchaseWithCard: PurchaseProduct {
    let offers: any BrowseOffers
    let wallets: any WalletRepository
    let orders: OrderRepository

    func callAsFunction(_ shown: Offer, quantity: Int) async throws -> Order {
        let offer = try await offers.offer(shown.id)
        guard offer.isAvailable else { throw ServiceError.soldOut(offer) }
        guard offer.cents == shown.cents else { throw ServiceError.priceChanged(offer) }
        let wallet = try await wallets.payingWallet()
        guard offer.cents.multipliedClamped(by: quantity) <= wallet.limit.multipliedClamped(by: 100) else {
            throw ServiceError.overLimit(wallet.limit)
        }
        return try await orders.create(offer, quantity: quantity)
    }
}
