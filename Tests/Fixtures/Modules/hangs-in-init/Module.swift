import AtriumKit

/// Never comes back from `init` and keeps the main thread.
final class FixtureModule: FeatureModule {
    init() {
        while true {}
    }

    func register(in registry: ModuleRegistry) {}
}
