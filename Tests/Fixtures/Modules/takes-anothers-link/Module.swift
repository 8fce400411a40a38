import AtriumKit

/// Registers a screen whose links lead to module Entities already.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Place.self) { _ in PlaceView() }
    }
}

struct Place: Destination {
    static let pattern: LinkPattern = "entities"
}

struct PlaceView: View {
    var body: Content { Title("Not the entities") }
}
