import AtriumKit

/// Recurses in `register` until the stack overflows.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        _ = Self.depth(below: 1)
    }

    /// Has a condition that is never met, since the compiler would warn of endless recursion.
    private static func depth(below level: Int) -> Int {
        level == 0 ? 0 : 1 + depth(below: level + 1)
    }
}
