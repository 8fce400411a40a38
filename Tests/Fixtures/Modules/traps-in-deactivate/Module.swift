import AtriumKit

/// Traps in `deactivate`.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func deactivate() async {
        fatalError("The fixture traps in deactivate.")
    }
}
