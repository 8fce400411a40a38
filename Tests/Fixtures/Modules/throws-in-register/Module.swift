import AtriumKit

/// Throws in `register`.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) throws {
        throw FixtureError()
    }
}

struct FixtureError: ExplainedError {
    let code: ErrorCode = "fixture"
    let message = "The fixture throws in register."
}
