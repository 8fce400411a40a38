import AtriumKit

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in SilentPriceService() },
            mock: { MockPriceService(behavior: $0.mock((any PriceService).self)) })
    }
}
