import AtriumKit
import Glibc

/// Exits in `register` with status 0.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        exit(0)
    }
}
