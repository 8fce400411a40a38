import AtriumKit
import Observation

/// A product, and how many of it a user wants.
@MainActor
@Observable
final class ProductViewModel: ViewModel {
    private(set) var offer: Offer?
    private(set) var quantity = 1
    private(set) var isBuying = false
    private let id: Int
    private let browse: BrowseOffers
    private let purchase: any PurchaseProduct

    init(id: Int, browse: BrowseOffers, purchase: any PurchaseProduct) {
        (self.id, self.browse, self.purchase) = (id, browse, purchase)
    }

    var formattedPrice: String? { offer.map { Money(hundredths: $0.cents).euros } }
    var formattedTotal: String? { offer.map { (Money(hundredths: $0.cents) * quantity).euros } }

    /// What is asked before anything is bought.
    var question: String? {
        guard let offer, let formattedTotal else { return nil }
        return "Buy \(quantity) × '\(offer.name)' for \(formattedTotal)?"
    }

    func load() async throws { offer = try await browse.offer(id) }

    func choose(quantity: Int) throws -> ActionResult {
        try ValidationError.check(Order.fields["quantity"]?.findings(in: Order(quantity: quantity)) ?? [])
        self.quantity = quantity
        return .updated
    }

    /// Buys the product: nothing is shown as bought before the order is stored.
    func buy() async throws -> ActionResult {
        guard !isBuying else { throw ServiceError("isBeingBought", "The purchase is being made already.") }
        guard let offer else { throw ServiceError.noOffer(id) }
        isBuying = true
        defer { isBuying = false }
        let order = try await purchase(offer, quantity: quantity)
        return .updated("Bought \(order.quantity) × '\(order.product)' for \(order.paid.euros).")
    }

    /// What the stack entry keeps.
    var savedState: Int { quantity }
    func restore(_ state: Int) { _ = try? choose(quantity: state) }
}
