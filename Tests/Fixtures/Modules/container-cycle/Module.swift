import AtriumKit

/// Registers a hen that requires all eggs, and contributes an egg that requires the hen.
final class FixtureModule: FeatureModule {
    func register(in registry: ModuleRegistry) {
        registry.useCase(Hen.self) { Hen(eggs: try $0.contributions(to: .eggs).map(\.value)) }
        registry.contribute(to: .eggs) { Egg(hen: try $0.useCase()) }
    }
}

final class Hen {
    init(eggs: [Egg]) {}
}

final class Egg {
    init(hen: Hen) {}
}

extension ContributionPoint where Element == Egg {
    fileprivate static var eggs: ContributionPoint<Egg> { ContributionPoint("eggs") }
}
