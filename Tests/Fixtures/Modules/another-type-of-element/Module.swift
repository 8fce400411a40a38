import AtriumKit

/// Contributes a greeting with a language to the list whose greetings are texts.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.contribute(to: ContributionPoint<(text: String, language: String)>("greetings")) { _ in
            ("Good morning.", "en")
        }
    }
}
