import TestSupport

@_spi(Host) @testable import AtriumKit

/// A container whose modules are added, updated and removed at random, and the modules that are active.
@MainActor
final class RandomWorld {
    let container = Container(environment: .mock)
    let graph: RandomGraph
    let live = LiveCount()
    var generator: SeededGenerator
    private(set) var active: [String: (module: RandomModule, scope: ModuleScope)] = [:]
    private var generations = 0

    init(_ graph: RandomGraph, seed: UInt64) {
        self.graph = graph
        generator = SeededGenerator(seed: seed)
    }

    var modules: [RandomModule] { active.values.map(\.module).sorted { $0.name < $1.name } }

    /// The definitions that are registered now, with the generation that registered each.
    var definitions: [Int: (definition: RandomModule.Definition, generation: Int)] {
        var definitions: [Int: (RandomModule.Definition, Int)] = [:]
        for module in modules {
            for definition in module.definitions {
                definitions[definition.number] = (definition, module.generation)
            }
        }
        return definitions
    }

    /// Returns a new generation of a random module.
    func nextModule() -> RandomModule {
        generations += 1
        let position = Int.random(in: 0..<graph.moduleCount, using: &generator)
        return graph.module(position, generation: generations, &generator)
    }

    func add(_ module: RandomModule) throws {
        let registry = module.registry(live)
        try container.add(registry.registry)
        active[module.name] = (module, registry.scope)
    }

    func remove(_ name: String) {
        guard let old = active.removeValue(forKey: name) else { return }
        container.remove(old.scope)
    }

    /// Resolves random values in a staged change, then adds `module` to the change.
    func stage(_ module: RandomModule) throws -> (change: StagedChange, publish: () throws -> ContainerChange)
    {
        let change = StagedChange(of: container)
        ask(change.next, times: 4, isLaterBuilt: false)
        if let old = active[module.name] { change.remove(old.scope) }
        let registry = module.registry(live)
        try change.add(registry.registry)
        return (
            change,
            {
                let done = try change.publish()
                self.active[module.name] = (module, registry.scope)
                return done
            }
        )
    }

    /// Resolves random values for a stack entry, and the later dependencies of some of them.
    func ask(_ container: Container, times: Int, isLaterBuilt: Bool = true) {
        container.inEntry(EntryScope(navigator: StationaryNavigator())) {
            for _ in 0..<times {
                let address = NodeAddress(number: Int.random(in: 0..<graph.size, using: &generator))
                let node = try? address.node(in: container)
                if isLaterBuilt, Bool.random(using: &generator) { node?.buildLater() }
            }
        }
    }

    // MARK: - Observable state

    /// Returns the shared values that are built.
    func present(in container: Container) -> [Int: Node] {
        var nodes: [Int: Node] = [:]
        for (number, entry) in definitions where entry.definition.order == nil {
            nodes[number] = NodeAddress(number: number).present(in: container)
        }
        return nodes
    }

    /// The observable state of the container as text.
    var picture: [String] {
        let graph = container.graph
        let nodes = graph.nodes.map { node in
            "\(node.module ?? "-") \(node.name) \(node.lifetime) \(node.isBuilt) \(node.builds)"
        }
        let edges = graph.edges.map { "\($0.from) \($0.kind) \($0.to)" }
        let identities = present(in: container).map { "\($0) \(ObjectIdentifier($1))" }
        let scopes = active.map { "\($0) \($1.scope.generation) \($1.scope.isRetired)" }
        return ["\(container.count)"] + nodes + edges + identities.sorted() + scopes.sorted()
    }

    /// Builds everything, and describes each value or error and the elements of the list.
    func outcome(in container: Container) -> [String] {
        var outcome: [String] = []
        container.inEntry(EntryScope(navigator: StationaryNavigator())) {
            for number in 0..<graph.size {
                let node = described { [try NodeAddress(number: number).node(in: container)] }
                outcome.append("\(number) \(node)")
            }
            outcome.append("list \(described { try container.contributions(to: .nodes).map(\.value) })")
        }
        return outcome
    }

    private func described(_ nodes: () throws -> [Node]) -> String {
        do {
            return try nodes().map { node in
                "\(node.name).\(node.version) of \(node.held.map { "\($0.name).\($0.version)" })"
            }.joined(separator: ", ")
        } catch {
            return (error as? ResolutionError).map { "\($0.code) \($0.path)" } ?? "\(error)"
        }
    }

    /// Returns the registrations with their modules and lifetimes.
    func registrations(in container: Container) -> [String] {
        container.graph.nodes.filter { $0.module != nil }
            .map { "\($0.module ?? "") \($0.name) \($0.lifetime)" }
    }

    func edges(in container: Container) -> Set<String> {
        let graph = container.graph
        return Set(
            graph.edges.map { "\(graph.nodes[$0.from].name) \($0.kind) \(graph.nodes[$0.to].name)" })
    }
}
