protocol PriceService: Sendable {
    func cents() async throws -> Int
}

struct MockPriceService {
    static let standard = MockPriceService()
}

extension MockPriceService: PriceService {
    func cents() -> Int { 100 }
}

struct StockCounter: Sendable {}
