import AtriumKit

/// A product as Catalog offers it: of types that all modules have.
typealias Offer = (id: Int, name: String, price: Money, isAvailable: Bool)

extension ContributionPoint where Element == @MainActor () async throws -> [Offer] {
    /// Catalog declares the same point, and adds its products.
    static var offers: Self { Self("offers") }
}

/// What Catalog offers: its numbers are those of the shop's links.
@MainActor
struct BrowseOffers {
    let all: @MainActor () async throws -> [Offer]

    func offer(_ id: Int) async throws -> Offer {
        if let offer = try await all().first(where: { $0.id == id }) { return offer }
        throw ServiceError(.notFound, "The shop has no product \(id).", hint: "shop")
    }
}

/// The rule that spans repositories: what is bought is available, within the limit, and can be paid.
@MainActor
struct PurchaseProduct {
    let browse: BrowseOffers
    let wallets: WalletRepository
    let orders: OrderRepository

    /// Buys what was shown, at the price that was shown; nothing is ordered if it throws.
    func callAsFunction(_ shown: Offer, quantity: Int) async throws -> Order {
        let offer = try await browse.offer(shown.id)
        guard offer.isAvailable else {
            throw ServiceError("soldOut", "'\(offer.name)' is sold out.", hint: "shop")
        }
        guard offer.price == shown.price else {
            let message = "The price of '\(offer.name)' has changed since it was shown."
            throw ServiceError("priceChanged", message, hint: "shop/products/\(offer.id)")
        }
        try await wallets.check(offer.price * quantity)
        return try await orders.create(offer, quantity: quantity)
    }
}
