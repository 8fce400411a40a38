import AtriumKit
import Observation

/// What can be bought.
@MainActor
@Observable
final class ShopViewModel: ViewModel {
    private(set) var offers: [Offer] = []
    private let browse: any BrowseOffers
    private let navigator: any Navigator

    init(browse: any BrowseOffers, navigator: any Navigator) {
        self.browse = browse
        self.navigator = navigator
    }

    func load() async throws {
        offers = try await browse.all()
    }

    func price(of offer: Offer) -> String { formatted(cents: offer.cents) }

    func show(_ id: Int) async throws -> ActionResult {
        try await navigator.push(ProductDetail(id: id))
        return .updated
    }
}
