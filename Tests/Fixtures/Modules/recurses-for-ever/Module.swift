import AtriumKit

/// Calls itself in `register` until the stack is used up.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        _ = Self.depth(below: 1)
    }

    /// Has a way out that is never taken, or the compiler would warn.
    private static func depth(below level: Int) -> Int {
        level == 0 ? 0 : 1 + depth(below: level + 1)
    }
}
