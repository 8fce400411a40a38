protocol PriceService: Sendable {
    func cents() async throws -> Int
}

struct MockPriceService: PriceService {
    func cents() -> Int { 100 }
}
