import AtriumKit
import Observation

/// What can be bought.
@MainActor
@Observable
final class ShopViewModel: ViewModel {
    private(set) var offers: [Offer] = []
    private let browse: BrowseOffers
    private let navigator: any Navigator

    init(browse: BrowseOffers, navigator: any Navigator) {
        (self.browse, self.navigator) = (browse, navigator)
    }

    func price(of offer: Offer) -> String { Money(hundredths: offer.cents).euros }

    func load() async throws { offers = try await browse.all() }

    func show(_ id: Int) async throws -> ActionResult {
        try await navigator.push(ProductDetail(id: id))
        return .updated
    }
}
