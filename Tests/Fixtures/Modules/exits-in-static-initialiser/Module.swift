import AtriumKit
import Glibc

/// Exits in a static initialiser with status 0.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}

/// Runs while the library is opened, before any of its symbols can be looked up.
@used @section(".init_array")
private let initialiser: @convention(c) () -> Void = fixtureInitialise

@c(fixture_initialise)
public func fixtureInitialise() {
    exit(0)
}
