import AtriumKit

/// Waits in `deactivate` for what never comes, and leaves the main thread free.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func deactivate() async {
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
}
