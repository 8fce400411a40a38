import AtriumKit

@MainActor
protocol PurchaseProduct {
    /// Buys what was shown, at the price that was shown; nothing is ordered if it throws.
    func callAsFunction(_ shown: Offer, quantity: Int) async throws -> Order
}

/// The rule that spans repositories: what is bought is available, within the limit, and can be paid.
struct PurchaseWithCard: PurchaseProduct {
    let browse: BrowseOffers
    let wallets: any WalletRepository
    let orders: OrderRepository

    func callAsFunction(_ shown: Offer, quantity: Int) async throws -> Order {
        let offer = try await browse.offer(shown.id)
        guard offer.isAvailable else { throw ServiceError.soldOut(offer) }
        guard offer.cents == shown.cents else { throw ServiceError.priceChanged(offer) }
        try await wallets.check(Money(hundredths: offer.cents) * quantity)
        return try await orders.create(offer, quantity: quantity)
    }
}
