@MainActor
final class PriceRepository {
    // error: [concrete-service] a repository refers to 'MockPriceService', one implementation of a service;
    //        use the service's protocol
    private let prices: MockPriceService
    private let others: any PriceService

    // error: [concrete-service] a repository refers to 'MockPriceService', one implementation of a service;
    //        use the service's protocol
    init(prices: MockPriceService) {
        self.prices = prices
        // error: [concrete-service] a repository refers to 'MockPriceService', one implementation of a service;
        //        use the service's protocol
        others = MockPriceService.standard
    }

    func cents() async throws -> Int {
        max(0, try await others.cents())
    }
}
