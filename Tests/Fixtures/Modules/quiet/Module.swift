import AtriumKit

/// Is loaded when its link is first wanted.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Place.self) { _ in PlaceView() }
    }
}

struct Place: Destination {
    static let pattern: LinkPattern = "quiet"
}

struct PlaceView: View {
    var body: Content { Title("Quiet") }
}
