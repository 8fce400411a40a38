import AtriumKit

/// Acts as the first version of module Counter, and throws in `snapshot`.
final class CounterModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.screen(CounterDestination.self) { _ in CounterView() }
    }

    func snapshot(version: Int) throws -> ModuleSnapshot? {
        throw FixtureError()
    }
}

struct CounterDestination: Destination {
    static let pattern: LinkPattern = "counter"
}

struct CounterView: View {
    var body: Content { Field("version", "1.0.0") }
}

struct FixtureError: ExplainedError {
    let code: ErrorCode = "fixture"
    let message = "The fixture throws in snapshot."
}
