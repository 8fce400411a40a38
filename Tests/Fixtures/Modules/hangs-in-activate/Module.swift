import AtriumKit

/// Never returns from `activate` and blocks the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func activate(_ context: borrowing ActivationContext) async throws {
        while true {}
    }
}
