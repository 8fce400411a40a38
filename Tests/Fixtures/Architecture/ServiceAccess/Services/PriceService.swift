protocol PriceService: Sendable {
    func cents() async throws -> Int
}

struct MockPriceService: PriceService {
    func cents() -> Int { 100 }
}

// Only a service implements it, so it is one.
extension MockPriceService: PriceReading {}

typealias Prices = any PriceService

struct PriceFormat {}
