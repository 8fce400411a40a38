protocol PriceService: Sendable {
    func cents() async throws -> Int
}

struct MockPriceService {
    // error: [singleton] 'standard' is one 'ConcreteService.MockPriceService', which is a service, for everybody;
    //        register it as 'shared', so that each generation has its own and tests can replace it
    static let standard = MockPriceService()
}

extension MockPriceService: PriceService {
    func cents() -> Int { 100 }
}

struct StockCounter: Sendable {}
