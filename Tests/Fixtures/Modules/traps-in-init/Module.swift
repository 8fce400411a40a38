import AtriumKit

/// Traps in `init`.
final class FixtureModule: FeatureModule {
    init() {
        fatalError("The fixture traps in init.")
    }

    func register(in registry: ModuleRegistry) {}
}
