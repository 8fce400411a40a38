import AtriumKit

/// Works until its action traps.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "traps-in-action"
}

struct StartView: View {
    var body: Content { Title("Traps in its action") }

    var actions: [Action] {
        Action("go", "Traps in its action") {
            fatalError("The fixture traps in an action.")
        }
    }
}
