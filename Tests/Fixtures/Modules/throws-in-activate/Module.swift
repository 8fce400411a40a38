import AtriumKit

/// Throws in `activate`.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {}

    func activate(_ context: borrowing ActivationContext) async throws {
        throw FixtureError()
    }
}

struct FixtureError: ExplainedError {
    let code: ErrorCode = "fixture"
    let message = "The fixture throws in activate."
}
