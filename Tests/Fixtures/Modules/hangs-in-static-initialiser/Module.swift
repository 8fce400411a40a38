import AtriumKit

/// Hangs in a static initialiser, so that opening the library never ends.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}

/// Runs while the library is opened, before any of its symbols can be looked up.
@used @section(".init_array")
private let initialiser: @convention(c) () -> Void = fixtureInitialise

@c(fixture_initialise)
public func fixtureInitialise() {
    while true {}
}
