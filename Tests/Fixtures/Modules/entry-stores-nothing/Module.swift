import AtriumKit

/// Is never made, because the entry stores nothing.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}
