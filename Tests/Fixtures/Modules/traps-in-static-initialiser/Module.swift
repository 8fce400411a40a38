import AtriumKit

/// Traps in a static initialiser, as soon as the library is opened.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}
}

/// Runs while the library is opened, before any of its symbols can be looked up.
@used @section(".init_array")
private let initialiser: @convention(c) () -> Void = fixtureInitialise

@c(fixture_initialise)
public func fixtureInitialise() {
    fatalError("The fixture traps in a static initialiser.")
}
