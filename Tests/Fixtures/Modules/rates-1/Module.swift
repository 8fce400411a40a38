import AtriumKit

/// Offers a rate, as a function of a standard type that every module knows.
final class RatesModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.useCase((@MainActor () -> Int).self, named: "rate") { _ in { 3 } }
    }
}
