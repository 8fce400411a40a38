import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

/// Changes a random world step by step, and checks the invariants after each step.
@MainActor
struct RandomChanges {
    private let world: RandomWorld
    /// Identifies the world in failure messages.
    private let seed: Comment

    init(_ world: RandomWorld, _ seed: Comment) {
        self.world = world
        self.seed = seed
    }

    func next() async throws {
        let module = world.nextModule()
        let before = world.present(in: world.container)
        let untouched = Dictionary(
            uniqueKeysWithValues: before.filter { !dependsOn(module.name, before: $0.value) })
        switch (world.active[module.name] != nil, Int.random(in: 0..<5, using: &world.generator)) {
        case (true, 0): world.remove(module.name)
        case (false, 0...2): try world.add(module)
        case (_, 1): try await fail(module)
        default: try await update(module)
        }
        let after = world.present(in: world.container)
        for (number, node) in untouched { #expect(after[number] === node, "\(number) has changed, \(seed)") }
        try checkNothingIsStale()
        world.ask(world.container, times: 4)
        try checkNothingIsStale()
    }

    // MARK: - Staged changes

    private func update(_ module: RandomModule) async throws {
        let (change, publish) = try world.stage(module)
        let isDisturbed = Bool.random(using: &world.generator)
        world.ask(change.next, times: 3, isLaterBuilt: false)
        var isRebuilt = Bool.random(using: &world.generator)
        if isRebuilt { isRebuilt = (try? change.rebuild()) != nil }
        if isDisturbed { world.ask(world.container, times: 6) }
        let next = shared(in: change.next, module)
        let present = world.present(in: world.container)
        let plan = change.plan

        let done = try publish()

        let after = world.present(in: world.container)
        #expect(Set(plan.changed) == Set(done.changed), seed)
        for (number, node) in next where !isDisturbed {
            #expect(after[number] === node, "\(number) was not handed over, \(seed)")
        }
        for (number, node) in after {
            #expect(node === next[number] || node === present[number], "\(number) is new, \(seed)")
        }
        guard isRebuilt, !isDisturbed else { return }
        for number in present.keys where world.definitions[number]?.definition.lifetime == .shared {
            #expect(after[number] != nil, "\(number) was not rebuilt, \(seed)")
        }
    }

    /// Stages a change, tries to rebuild it and discards it.
    private func fail(_ module: RandomModule) async throws {
        let before = world.picture
        let change = try world.stage(module).change
        world.ask(change.next, times: 2, isLaterBuilt: false)
        try? change.rebuild()
        #expect(world.picture == before, seed)
        change.discard()
        #expect(world.picture == before, seed)
    }

    private func shared(in next: Container, _ module: RandomModule) -> [Int: Node] {
        let numbers = Set(world.definitions.keys).union(module.definitions.map(\.number))
        let nodes = numbers.compactMap { number in
            NodeAddress(number: number).present(in: next).map { (number, $0) }
        }
        return Dictionary(uniqueKeysWithValues: nodes)
    }

    // MARK: - Invariants

    /// Returns whether the value may hold a value of the module, by the described dependencies.
    private func dependsOn(_ module: String, before node: Node) -> Bool {
        let definitions = world.definitions
        var seen: Set<Int> = []
        var waiting = [Int(node.name) ?? 0]
        while let number = waiting.popLast() {
            guard seen.insert(number).inserted else { continue }
            if number % world.graph.moduleCount == Int(module.dropFirst()) { return true }
            for dependency in definitions[number]?.definition.dependencies ?? [] {
                switch dependency {
                case .needed(let target), .attempted(let target): waiting.append(target)
                case .list: return true
                case .later: break
                }
            }
        }
        return false
    }

    /// Checks that each reachable value belongs to an active module and holds the current shared values.
    private func checkNothingIsStale() throws {
        let definitions = world.definitions
        let present = world.present(in: world.container)
        var seen: Set<ObjectIdentifier> = []
        var waiting = Array(present.values)
        while let node = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
            guard let number = Int(node.name), let (definition, generation) = definitions[number] else {
                Issue.record("\(node.name) belongs to a removed module, \(seed)")
                continue
            }
            #expect(node.version == generation, "\(number) is retired, \(seed)")
            if definition.lifetime == .shared, definition.order == nil {
                #expect(present[number] === node, "\(number) is stale, \(seed)")
            }
            waiting += node.held
        }
    }

    /// Builds everything in this container and in a new one with the same modules, and compares the results.
    func compareWithFresh() throws {
        let fresh = Container(environment: .mock)
        defer { fresh.close() }
        for module in world.modules.shuffled(using: &world.generator) {
            try fresh.add(module.registry(LiveCount()).registry)
        }

        let here = (world.outcome(in: world.container), world.outcome(in: fresh))
        #expect(here.0 == here.1, seed)
        #expect(world.registrations(in: world.container) == world.registrations(in: fresh), seed)
        let edges = (world.edges(in: world.container), world.edges(in: fresh))
        #expect(edges.1.subtracting(edges.0).isEmpty, seed)
        // An earlier read of the list may have reached more elements.
        let more = edges.0.subtracting(edges.1).filter { !$0.hasPrefix("Node 'nodes") }
        #expect(more.isEmpty, seed)
    }
}
