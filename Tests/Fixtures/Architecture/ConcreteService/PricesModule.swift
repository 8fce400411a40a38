import AtriumKit

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in MockPriceService() },
            mock: { _ in MockPriceService() })
        registry.service(
            // error: [concrete-service] 'StockCounter' is registered as a service by its concrete type;
            //        declare a protocol, register that, and let repositories have 'any' of it
            StockCounter.self, live: .unavailable, local: { _ in StockCounter() },
            mock: { _ in StockCounter() })
        registry.repository(PriceRepository.self) { _ in PriceRepository(prices: MockPriceService()) }
    }
}
