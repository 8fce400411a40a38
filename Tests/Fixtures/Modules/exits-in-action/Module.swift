import AtriumKit
import Glibc

/// Works until its action exits with status 0.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "exits-in-action"
}

struct StartView: View {
    var body: Content { Title("Ends the process in its action") }

    var actions: [Action] {
        Action("go", "Ends the process in its action") {
            exit(0)
        }
    }
}
