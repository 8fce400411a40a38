import AtriumKit

/// Is loaded when its link is first used.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "quiet"
}

struct StartView: View {
    var body: Content { Title("Quiet") }
}
