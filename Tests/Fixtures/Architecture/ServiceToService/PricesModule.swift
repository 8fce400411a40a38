import AtriumKit

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable,
            local: { _ in LocalPriceService(stock: MockStockService()) },
            mock: { _ in MockPriceService() })
        registry.service(
            (any StockService).self, live: .unavailable, local: { _ in MockStockService() },
            mock: { _ in MockStockService() })
    }
}
