import AtriumKit

/// A correct module with one screen.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "plain"
}

struct StartView: View {
    var body: Content { Title("Plain") }
}
