import TestSupport

@_spi(Host) @testable import AtriumKit

/// The description of a random module, from which its registrations and the expectations are derived.
struct RandomModule {
    let name: String
    var generation = 1
    var requires: Set<String>
    var definitions: [Definition]

    /// One registration.
    struct Definition {
        let number: Int
        let lifetime: Lifetime
        /// The dependencies that its factory resolves, in order.
        let dependencies: [Dependency]
        /// Whether its factory throws after resolving them.
        var fails = false
        /// Its order in the list, if it is a contribution.
        var order: Int?
    }

    enum Dependency: Hashable {
        case needed(Int)
        /// A dependency that may be missing.
        case attempted(Int)
        /// A provider.
        case later(Int)
        /// All elements of the list.
        case list
    }

    func reaches(_ owner: RandomModule) -> Bool {
        owner.name == name || requires.contains(owner.name)
    }
}

extension ContributionPoint where Element == Node {
    static var nodes: ContributionPoint { ContributionPoint("nodes") }
}

@MainActor
extension RandomModule {
    /// Registers the definitions; each factory and each node holds a token of `live`.
    func registry(_ live: LiveCount) -> (registry: ModuleRegistry, scope: ModuleScope) {
        let scope = ModuleScope.named(name, generation: generation, requires: requires)
        let registry = ModuleRegistry(scope: scope)
        for definition in definitions { definition.register(in: registry, generation, live) }
        return (registry, scope)
    }
}

@MainActor
extension RandomModule.Definition {
    fileprivate func register(in registry: ModuleRegistry, _ version: Int, _ live: LiveCount) {
        let token = live.token()
        if let order {
            return registry.contribute(to: .nodes, order: order, lifetime: lifetime) { context in
                try withExtendedLifetime(token) { try make(context.core, version, live.token()) { [] } }
            }
        }
        NodeAddress(number: number).register(in: registry, lifetime) { context in
            try withExtendedLifetime(token) {
                try make(context.core, version, live.token()) {
                    try context.contributions(to: .nodes).map(\.value)
                }
            }
        }
    }

    /// Builds the node, as its factory.
    private func make(
        _ core: ContextCore, _ version: Int, _ token: LiveCount.Token, _ list: () throws -> [Node]
    ) throws -> Node {
        var held: [Node] = []
        var later: [Node.Later] = []
        for dependency in dependencies {
            switch dependency {
            case .needed(let number): held.append(try NodeAddress(number: number).node(from: core))
            case .attempted(let number):
                if let node = try? NodeAddress(number: number).node(from: core) { held.append(node) }
            case .later(let number): later.append(NodeAddress(number: number).later(from: core))
            case .list: held += try list()
            }
        }
        if fails { throw PlainFailure() }
        return Node("\(number)", version: version, held: held, later: later, token: token)
    }
}
