import AtriumKit

/// Waits in `deactivate` forever, without blocking the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func deactivate() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
