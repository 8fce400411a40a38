import AtriumKit

/// Registers a service that module Clockwork provides.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.service(
            (any WallClock).self, live: .unavailable, local: { $0.clock }, mock: { $0.clock })
    }
}
