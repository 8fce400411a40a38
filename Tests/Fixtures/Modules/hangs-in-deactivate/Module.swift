import AtriumKit

/// Never returns from `deactivate` and blocks the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func deactivate() async {
        while true {}
    }
}
