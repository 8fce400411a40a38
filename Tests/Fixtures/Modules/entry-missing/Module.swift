import AtriumKit

/// Would work if it had an entry.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}
