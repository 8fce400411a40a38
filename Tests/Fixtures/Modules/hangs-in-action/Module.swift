import AtriumKit
import Glibc

/// Works until its action blocks the main thread forever.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "hangs-in-action"
}

struct StartView: View {
    var body: Content { Title("Hangs in its action") }

    var actions: [Action] {
        Action("go", "Hangs in its action") {
            // Tells the test that the action runs; what it prints goes to the log.
            if let path = getenv("FIXTURE_BEGUN") { close(creat(path, 0o600)) }
            while true {}
        }
    }
}
