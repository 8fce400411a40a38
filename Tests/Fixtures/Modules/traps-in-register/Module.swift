import AtriumKit

/// Traps in `register`.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        fatalError("The fixture traps in register.")
    }
}
