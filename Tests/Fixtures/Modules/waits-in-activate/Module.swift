import AtriumKit

/// Waits in `activate` forever, without blocking the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func activate(_ context: borrowing ActivationContext) async throws {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
