@MainActor
// error: [pass-through-repository] 'PriceRepository' only hands calls on to a service;
//        give it the rule, cache or coordination that it is for, or do without it
final class PriceRepository {
    private let prices: any PriceService

    init(prices: any PriceService) {
        self.prices = prices
    }

    func cents(of product: String) async throws -> Int {
        try await prices.cents(of: product)
    }

    func set(_ cents: Int, of product: String) async throws {
        try await prices.set(cents, of: product)
    }
}
