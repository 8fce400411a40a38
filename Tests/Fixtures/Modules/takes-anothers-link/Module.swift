import AtriumKit

/// Registers a screen with a link of module Entities.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "entities"
}

struct StartView: View {
    var body: Content { Title("Not the entities") }
}
