import AtriumKit

/// Registers one type twice.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.repository(Stock.self) { _ in Stock() }
        registry.repository(Stock.self) { _ in Stock() }
    }
}

final class Stock {}
