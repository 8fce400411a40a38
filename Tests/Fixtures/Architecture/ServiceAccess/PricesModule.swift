import AtriumKit

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in MockPriceService() },
            mock: { _ in MockPriceService() })
    }
}

protocol PriceReading: Sendable {
    func cents() async throws -> Int
}
