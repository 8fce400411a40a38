import AtriumKit

/// Registers a screen whose links lead to module Entities already.
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
