import AtriumKit

@MainActor
final class PriceRepository {
    private let prices: any PriceService
    private let stock: any StockService
    private let analytics: any Analytics

    init(prices: any PriceService, stock: any StockService, analytics: any Analytics) {
        self.prices = prices
        self.stock = stock
        self.analytics = analytics
    }

    // A repository may pass on some calls unchanged if others do more.
    func all() async throws -> [Price] {
        try await prices.prices()
    }

    func set(_ price: Price) async throws {
        if let error = price.validate().first { throw error }
        guard try await stock.isThere(price) else { return }
        try await prices.set(price)
        analytics.track(AnalyticsEvent("priceSet"))
    }
}
