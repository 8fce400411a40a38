import AtriumKit

/// Is never created, because the entry stores something else.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}
