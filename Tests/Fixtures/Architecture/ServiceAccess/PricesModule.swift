import AtriumKit

final class PricesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any PriceService).self, live: .unavailable, local: { _ in MockPriceService() },
            mock: { _ in MockPriceService() })
        // error: [service-access] the module's registration calls 'cents' of a service, in a closure or a function
        //        of its own; let a repository ask it, and decide what the answer means
        registry.useCase(ReadPrices.self) { _ in ReadPrices { MockPriceService().cents() } }
    }
}

protocol PriceReading: Sendable {
    func cents() async throws -> Int
}
