import AtriumKit

/// Offers what is on loan to all modules.
final class LoansModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.contribute(to: .loans) { _ in (title: "Emma", days: 30) }
    }
}

extension ContributionPoint where Element == (title: String, days: Int) {
    fileprivate static var loans: Self { Self("loans") }
}
