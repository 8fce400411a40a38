import AtriumKit

protocol PriceService: Sendable {
    func prices() async throws -> [Price]
    func set(_ price: Price) async throws
}

struct LocalPriceService: PriceService {
    let database: any Database

    func prices() async throws -> [Price] { Prices.sample }
    func set(_ price: Price) async throws {}
}

struct LivePriceService: PriceService {
    let api: any APIClient

    func prices() async throws -> [Price] { Prices.sample }
    func set(_ price: Price) async throws {}
}

actor MockPriceService {
    private var list = Prices.sample
}

extension MockPriceService: PriceService {
    func prices() -> [Price] { list }
    func set(_ price: Price) { list = [price] }
}

protocol StockService: Sendable {
    func isThere(_ price: Price) async throws -> Bool
}

struct MockStockService: StockService {
    func isThere(_ price: Price) -> Bool { true }
}

// A helper that services share is not a service.
enum Prices {
    static let sample = [Price(cents: 100)]
}
