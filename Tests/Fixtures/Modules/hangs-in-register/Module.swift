import AtriumKit

/// Never returns from `register` and blocks the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        while true {}
    }
}
