import Testing

@_spi(Host) @testable import AtriumKit

@Suite("The state that an awaited build sees")
@MainActor
struct AwaitedStateTests {
    private let container = Container(environment: .mock)
    private let turnstile = Turnstile()

    private func request(_ name: String, in container: Container? = nil) -> Task<Node, any Error> {
        let container = container ?? self.container
        return Task { try await container.awaitedNode(name) }
    }

    /// Adds "a", which waits at the turnstile before it asks for "b", which holds "c" of another module.
    private func addChain(_ lifetime: AsynchronousLifetime) throws -> ModuleScope {
        try container.add(module: "A", requires: ["C"]) { [turnstile] registry in
            registry.useCase(Node.self, named: "a", lifetime: lifetime) { context async throws in
                await turnstile.pass()
                return Node("a", held: [try context.core.node("b")])
            }
            registry.node("b", holding: "c")
        }
        return try container.add(module: "C") { $0.node("c") }.scope
    }

    @Test(
        "What is removed while it runs is still there for it, also behind what it has not asked for yet",
        arguments: [AsynchronousLifetime.shared, .transient])
    func removed(_ lifetime: AsynchronousLifetime) async throws {
        let scope = try addChain(lifetime)
        let task = request("a")
        await turnstile.arrivals(1)

        container.remove(scope)
        turnstile.open()
        let node = try await task.value

        #expect(node.held.first?.held.first?.name == "c")
        #expect(throws: ResolutionError.self) { try container.node("b") }
    }

    @Test("A build of the next state that still runs when it is published is joined by who asks then")
    func joined() async throws {
        let change = StagedChange(of: container)
        try change.add(
            .of("A") { [turnstile] registry in
                registry.node("c")
                registry.useCase(Node.self, named: "a", lifetime: .shared) { context async throws in
                    await turnstile.pass()
                    return Node("a", held: [try context.core.node("c")])
                }
            })
        let before = request("a", in: change.next)
        await turnstile.arrivals(1)

        try change.publish()
        let started = Turnstile()
        let after = Task { [container] in
            started.note()
            return try await container.awaitedNode("a")
        }
        await started.arrivals(1)
        turnstile.open()

        #expect(try await before.value === after.value)
        #expect(try container.node("c") === (try await after.value).held.first)
    }

    @Test("A build of the next state goes on seeing it after it was published and changed again")
    func publishedAndChanged() async throws {
        let scope = ModuleScope.named("C")
        let registry = ModuleRegistry(scope: scope)
        registry.node("c")
        let change = StagedChange(of: container)
        try change.add(registry)
        try change.add(
            .of("A", requires: ["C"]) { [turnstile] registry in
                registry.useCase(Node.self, named: "a", lifetime: .shared) { context async throws in
                    let before = try context.core.node("c")
                    await turnstile.pass()
                    return Node("a", held: [before, try context.core.node("c")])
                }
            })
        let task = request("a", in: change.next)
        await turnstile.arrivals(1)

        try change.publish()
        container.remove(scope)
        try container.add(module: "C", generation: 2) { $0.node("c", version: 2) }
        turnstile.open()
        let node = try await task.value

        #expect(node.held.map(\.version) == [1, 1])
        #expect(try await container.awaitedNode("a").held.map(\.version) == [2, 2])
    }
}
