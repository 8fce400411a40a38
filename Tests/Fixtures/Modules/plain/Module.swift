import AtriumKit

/// Does nothing wrong.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Place.self) { _ in PlaceView() }
    }
}

struct Place: Destination {
    static let pattern: LinkPattern = "plain"
}

struct PlaceView: View {
    var body: Content { Title("Plain") }
}
