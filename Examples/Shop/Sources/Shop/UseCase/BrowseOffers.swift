import AtriumKit

@MainActor
protocol BrowseOffers {
    func all() async throws -> [Offer]
    func offer(_ id: Int) async throws -> Offer
}

/// What Catalog offers: its numbers are those of the shop's links.
struct BrowseCatalog: BrowseOffers {
    let products: @MainActor () async throws -> [OfferedProduct]

    init(_ offers: [Contribution<@MainActor () async throws -> [OfferedProduct]>]) throws {
        guard let offer = offers.first(where: { $0.module == "Catalog" }) else { throw ServiceError.noOffers }
        products = offer.value
    }

    func all() async throws -> [Offer] {
        try await products()
            .map { Offer(id: $0.id, name: $0.name, cents: $0.cents, isAvailable: $0.isAvailable) }
            .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
    }

    func offer(_ id: Int) async throws -> Offer {
        guard let offer = try await all().first(where: { $0.id == id }) else {
            throw ServiceError.noOffer(id)
        }
        return offer
    }
}

/// A product as Catalog offers it: of types that all modules have.
typealias OfferedProduct = (id: Int, name: String, cents: Int, isAvailable: Bool)

extension ContributionPoint where Element == @MainActor () async throws -> [OfferedProduct] {
    /// Catalog declares the same point, and adds its products.
    static var offers: Self { Self("offers") }
}
