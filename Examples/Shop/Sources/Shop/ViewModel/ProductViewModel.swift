import AtriumKit
import Observation

/// One product, and how many of it somebody wants.
@MainActor
@Observable
final class ProductViewModel: ViewModel {
    private(set) var offer: Offer?
    private(set) var quantity = 1
    private(set) var isBuying = false
    private let id: Int
    private let browse: any BrowseOffers
    private let purchase: any PurchaseProduct

    init(id: Int, browse: any BrowseOffers, purchase: any PurchaseProduct) {
        self.id = id
        self.browse = browse
        self.purchase = purchase
    }

    var formattedPrice: String? { offer.map { formatted(cents: $0.cents) } }
    var formattedTotal: String? { offer.map { formatted(cents: $0.cents.multipliedClamped(by: quantity)) } }

    /// What is asked before anything is bought.
    var question: String? {
        guard let offer, let formattedTotal else { return nil }
        return "Buy \(quantity) × '\(offer.name)' for \(formattedTotal)?"
    }

    func load() async throws {
        offer = try await browse.offer(id)
    }

    func choose(quantity: Int) throws -> ActionResult {
        try ValidationError.check(ValidationFinding.checking("quantity", quantity, within: Order.quantities))
        self.quantity = quantity
        return .updated
    }

    /// Buys the product: nothing is shown as bought before the order is stored.
    func buy() async throws -> ActionResult {
        guard !isBuying else { throw ServiceError.isBeingBought }
        guard let offer else { throw ServiceError.noOffer(id) }
        isBuying = true
        defer { isBuying = false }
        let order = try await purchase(offer, quantity: quantity)
        return .updated("Bought \(order.quantity) × '\(order.product)' for \(formatted(cents: order.cents)).")
    }
}

extension ProductViewModel {
    var savedState: Int { quantity }

    func restore(_ state: Int) {
        if Order.quantities.contains(state) { quantity = state }
    }
}
