import AtriumKit
import Glibc

/// Ends the process in `register`, with the status of success.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        exit(0)
    }
}
