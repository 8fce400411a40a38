import AtriumKit

/// Calls a C function that no library defines.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        nowhere()
    }
}

@_silgen_name("fixture_nowhere")
private func nowhere()
