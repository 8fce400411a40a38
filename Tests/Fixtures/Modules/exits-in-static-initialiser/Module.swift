import AtriumKit
import Glibc

/// Ends the process in a static initialiser, with the status of success.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}

/// Runs while the library is opened, before any of its symbols can be asked for.
@used @section(".init_array")
private let initialiser: @convention(c) () -> Void = fixtureInitialise

@c(fixture_initialise)
public func fixtureInitialise() {
    exit(0)
}
