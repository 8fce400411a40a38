import AtriumKit

/// Never comes back from `register` and keeps the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        while true {}
    }
}
