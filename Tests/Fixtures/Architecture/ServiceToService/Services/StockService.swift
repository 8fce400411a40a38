protocol StockService: Sendable {
    func count() async throws -> Int
}

struct MockStockService: StockService {
    func count() -> Int { 1 }
}
