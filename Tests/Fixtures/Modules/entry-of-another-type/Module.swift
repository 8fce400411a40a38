import AtriumKit

/// Is never made, because the entry stores something else.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}
