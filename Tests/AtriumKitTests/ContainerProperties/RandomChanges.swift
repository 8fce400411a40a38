import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

/// Changes a random world step by step, and checks after each what is true after any change.
@MainActor
struct RandomChanges {
    private let world: RandomWorld
    /// Tells which world it is when something is wrong.
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
        for (number, node) in untouched { #expect(after[number] === node, "\(number) was kept, \(seed)") }
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
            #expect(after[number] === node, "\(number) was handed over, \(seed)")
        }
        for (number, node) in after {
            #expect(node === next[number] || node === present[number], "\(number) is new, \(seed)")
        }
        guard isRebuilt, !isDisturbed else { return }
        for number in present.keys where world.definitions[number]?.definition.lifetime == .shared {
            #expect(after[number] != nil, "\(number) was rebuilt, \(seed)")
        }
    }

    /// A change that can't be rebuilt, or is discarded.
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

    // MARK: - What is true after any change

    /// Whether the value may hold something of the module, by the described dependencies.
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

    /// Checks that whatever can be reached belongs to what is active, and holds the shared values of now.
    private func checkNothingIsStale() throws {
        let definitions = world.definitions
        let present = world.present(in: world.container)
        var seen: Set<ObjectIdentifier> = []
        var waiting = Array(present.values)
        while let node = waiting.popLast() {
            guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
            guard let number = Int(node.name), let (definition, generation) = definitions[number] else {
                Issue.record("\(node.name) has left, \(seed)")
                continue
            }
            #expect(node.version == generation, "\(number) is retired, \(seed)")
            if definition.lifetime == .shared, definition.order == nil {
                #expect(present[number] === node, "\(number) is stale, \(seed)")
            }
            waiting += node.held
        }
    }

    /// Builds everything, here and in a container that only ever got what is active now.
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
        // An earlier reading of the list may have come further, to elements that were built then.
        let more = edges.0.subtracting(edges.1).filter { !$0.hasPrefix("Node 'nodes") }
        #expect(more.isEmpty, seed)
    }
}
