import AtriumKit

/// Acts as a newer version of module Counter, and throws in `restore`.
final class CounterModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(CounterDestination.self) { _ in CounterView() }
    }

    func restore(_ snapshot: ModuleSnapshot) throws {
        throw FixtureError()
    }
}

struct CounterDestination: Destination {
    static let pattern: LinkPattern = "counter"
}

struct CounterView: View {
    var body: Content { Field("version", "1.2.0") }
}

struct FixtureError: ExplainedError {
    let code: ErrorCode = "fixture"
    let message = "The fixture throws in restore."
}
