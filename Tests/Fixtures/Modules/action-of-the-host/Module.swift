import AtriumKit

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

    /// The host's command comes before it, so nobody could perform it.
    var actions: [Action] {
        Action("back", "Goes back to the first page") { .content(body) }
    }
}
