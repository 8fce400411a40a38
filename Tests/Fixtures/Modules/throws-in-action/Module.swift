import AtriumKit

/// Works, but its action throws.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "throws-in-action"
}

struct StartView: View {
    var body: Content { Title("Throws in its action") }

    var actions: [Action] {
        Action("go", "Throws in its action") {
            throw FixtureError()
        }
    }
}

struct FixtureError: ExplainedError {
    let code: ErrorCode = "fixture"
    let message = "The fixture throws in an action."
}
