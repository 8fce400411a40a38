import AtriumKit

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in MockPriceService(analytics: nil) },
            mock: { _ in MockPriceService(analytics: nil) })
    }
}
