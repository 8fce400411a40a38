@MainActor
final class PriceRepository {
    private let prices: any PriceService

    init(prices: any PriceService) {
        self.prices = prices
    }

    func price() async throws -> Price {
        Price(cents: max(0, try await prices.cents()))
    }
}

typealias Shelf = PriceRepository
