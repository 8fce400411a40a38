import AtriumKit

/// Is never created, because the entry stores nothing.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}
