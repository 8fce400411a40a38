import AtriumKit
import Observation

/// What can be bought.
@MainActor
@Observable
final class ShopViewModel: ViewModel {
    private(set) var offers: [Offer] = []
    private let browse: BrowseOffers

    init(browse: BrowseOffers) { self.browse = browse }

    func load() async throws { offers = try await browse.all() }
}

/// A product, and how many of it a user wants.
@MainActor
@Observable
final class ProductViewModel: ViewModel {
    private(set) var offer: Offer?
    private(set) var quantity = 1
    private(set) var isBuying = false
    private let id: Int
    private let browse: BrowseOffers
    private let purchase: PurchaseProduct

    init(id: Int, browse: BrowseOffers, purchase: PurchaseProduct) {
        (self.id, self.browse, self.purchase) = (id, browse, purchase)
    }

    var formattedTotal: String? { offer.map(total(of:)) }
    /// What is asked before anything is bought.
    var question: String? { offer.map { "Buy \(quantity) × '\($0.name)' for \(total(of: $0))?" } }

    private func total(of offer: Offer) -> String { (offer.price * quantity).euros }

    func load() async throws { offer = try await browse.offer(id) }

    func choose(quantity: Int) throws -> ActionResult {
        try ValidationError.check(Order.fields["quantity"]?.findings(in: Order(quantity: quantity)) ?? [])
        self.quantity = quantity
        return .updated
    }

    /// Buys the product: nothing is shown as bought before the order is stored.
    func buy() async throws -> ActionResult {
        guard !isBuying else { throw ServiceError("isBeingBought", "The purchase is being made already.") }
        isBuying = true
        defer { isBuying = false }
        let shown = if let offer { offer } else { try await browse.offer(id) }
        let order = try await purchase(shown, quantity: quantity)
        return .updated("Bought \(order.quantity) × '\(order.product)' for \(order.paid.euros).")
    }

    /// What the stack entry keeps.
    var savedState: Int { quantity }
    func restore(_ state: Int) { _ = try? choose(quantity: state) }
}
