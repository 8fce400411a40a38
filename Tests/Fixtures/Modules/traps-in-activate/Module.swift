import AtriumKit

/// Traps in `activate`.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func activate(_ context: borrowing ActivationContext) async throws {
        fatalError("The fixture traps in activate.")
    }
}
