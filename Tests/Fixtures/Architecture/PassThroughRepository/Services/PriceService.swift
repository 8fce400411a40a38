protocol PriceService: Sendable {
    func cents(of product: String) async throws -> Int
    func set(_ cents: Int, of product: String) async throws
}

struct MockPriceService: PriceService {
    func cents(of product: String) -> Int { 100 }
    func set(_ cents: Int, of product: String) {}
}
