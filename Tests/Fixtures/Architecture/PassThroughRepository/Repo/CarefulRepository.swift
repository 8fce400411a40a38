// One rule in one function is enough for a repository.
@MainActor
final class CarefulRepository {
    private let prices: any PriceService

    init(prices: any PriceService) {
        self.prices = prices
    }

    func cents(of product: String) async throws -> Int {
        try await prices.cents(of: product)
    }

    func set(_ cents: Int, of product: String) async throws {
        guard cents > 0 else { return }
        try await prices.set(cents, of: product)
    }
}
