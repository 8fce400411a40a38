import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Awaited builds that changes overtake")
@MainActor
struct AwaitedJoinTests {
    private let container = Container(environment: .mock)
    private let turnstile = Turnstile()

    /// A module with "a", which waits at the turnstile before it asks for "c".
    private func asker(_ version: Int) -> (registry: ModuleRegistry, scope: ModuleScope) {
        let scope = ModuleScope.named("A", generation: version, requires: ["C"])
        let registry = ModuleRegistry(scope: scope)
        registry.useCase(Node.self, named: "a", lifetime: .shared) { [turnstile] context async throws in
            await turnstile.pass()
            return Node("a", version: version, held: [try context.core.node("c")])
        }
        return (registry, scope)
    }

    private func addLeaf(_ version: Int) throws -> ModuleScope {
        try container.add(module: "C", generation: version) { $0.node("c", version: version) }.scope
    }

    /// A request that has asked when this returns.
    private func request() async -> Task<Node, any Error> {
        let started = Turnstile()
        let task = Task { [container] in
            started.note()
            return try await container.awaitedNode("a")
        }
        await started.arrivals(1)
        return task
    }

    @Test("Who asked in a state between two changes gets that state's value, and leaves nothing in the next")
    func between() async throws {
        let leaf = try addLeaf(1)
        let first = asker(1)
        try container.add(first.registry)
        let before = await request()
        await turnstile.arrivals(1)
        container.remove(leaf)
        _ = try addLeaf(2)
        let between = await request()
        let change = StagedChange(of: container)
        change.remove(first.scope)
        try change.add(asker(3).registry)
        try change.publish()
        turnstile.open()

        let nodes = [try await before.value, try await between.value, try await container.awaitedNode("a")]

        #expect(nodes.map(\.version) == [1, 1, 3])
        #expect(nodes.map { $0.held.map(\.version) } == [[1], [2], [2]])
    }

    @Test("Who asks after a change does not join a build of the state before that was told to stop")
    func cancelled() async throws {
        let leaf = try addLeaf(1)
        try container.add(asker(1).registry)
        let before = await request()
        await turnstile.arrivals(1)
        container.remove(leaf)
        _ = try addLeaf(2)
        before.cancel()
        await #expect(throws: CancellationError.self) { try await before.value }

        let after = await request()
        turnstile.open()

        #expect(try await after.value.held.map(\.version) == [2])
    }
}
