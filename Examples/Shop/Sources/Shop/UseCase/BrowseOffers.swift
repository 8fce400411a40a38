import AtriumKit

/// What Catalog offers: its numbers are those of the shop's links.
@MainActor
struct BrowseOffers {
    let all: @MainActor () async throws -> [Offer]

    func offer(_ id: Int) async throws -> Offer {
        guard let offer = try await all().first(where: { $0.id == id }) else {
            throw ServiceError.noOffer(id)
        }
        return offer
    }
}

extension BrowseOffers {
    init(_ offers: [Contribution<@MainActor () async throws -> [Offer]>]) throws {
        guard let offer = offers.first(where: { $0.module == "Catalog" }) else { throw ServiceError.noOffers }
        self.init(all: offer.value)
    }
}

/// A product as Catalog offers it: of types that all modules have.
typealias Offer = (id: Int, name: String, cents: Int, isAvailable: Bool)

extension ContributionPoint where Element == @MainActor () async throws -> [Offer] {
    /// Catalog declares the same point, and adds its products.
    static var offers: Self { Self("offers") }
}
