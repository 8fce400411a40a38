import AtriumKit

/// Waits in `activate` for what never comes, and leaves the main thread free.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func activate(_ context: borrowing ActivationContext) async throws {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
