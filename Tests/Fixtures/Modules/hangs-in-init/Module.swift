import AtriumKit

/// Never returns from `init` and blocks the main thread.
final class FixtureModule: FeatureModule {
    init() {
        while true {}
    }

    func register(in registry: ModuleRegistry) {}
}
