import AtriumKit
import Glibc

/// Works until its action waits forever, without blocking the main thread.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(Start.self) { _ in StartView() }
    }
}

struct Start: Destination {
    static let pattern: LinkPattern = "waits-in-action"
}

struct StartView: View {
    var body: Content { Title("Waits for ever in its action") }

    var actions: [Action] {
        Action("go", "Waits for ever in its action") {
            // Tells the test that the action runs; what it prints goes to the log.
            if let path = getenv("FIXTURE_BEGUN") { close(creat(path, 0o600)) }
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            return .updated
        }
    }
}
