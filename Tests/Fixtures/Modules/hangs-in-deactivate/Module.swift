import AtriumKit

/// Never comes back from `deactivate` and keeps the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func deactivate() async {
        while true {}
    }
}
