import AtriumKit

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in MockPriceService() },
            mock: { _ in MockPriceService() })
        registry.repository(PriceRepository.self) { PriceRepository(prices: try $0.service()) }
        registry.repository(Ledger.self) { Ledger(prices: try $0.service()) }
        registry.repository(CarefulRepository.self) { CarefulRepository(prices: try $0.service()) }
    }
}
