import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Awaited builds that lacked something")
@MainActor
struct AwaitedRetryTests {
    private let container = Container(environment: .mock)

    @Test("An awaited build that failed can be asked for again, as often as it fails")
    func again() async throws {
        try container.add { registry in
            registry.useCase(Node.self, named: "a", lifetime: .shared) { context async throws in
                Node("a", held: [try await context.core.awaitedNode("missing")])
            }
        }

        for _ in 0..<3 {
            let error = await #expect(throws: ResolutionError.self) { try await container.awaitedNode("a") }

            #expect(error?.code == .notRegistered)
            #expect(error?.path == ["Node 'a'", "Node 'missing'"])
        }
    }

    @Test("An awaited value that read a list is built anew when the list gets an element")
    func list() async throws {
        let point = ContributionPoint<Node>("elements")
        try container.add(module: "Reader") { registry in
            registry.useCase(Node.self, named: "reader", lifetime: .shared) { context async throws in
                Node("reader", held: try context.contributions(to: point).map(\.value))
            }
        }
        let before = try await container.awaitedNode("reader")

        try container.add(module: "Writer") { $0.contribute(to: point) { _ in Node("element") } }
        let after = try await container.awaitedNode("reader")

        #expect(before.held.isEmpty)
        #expect(after.held.map(\.name) == ["element"])
    }

    @Test("An awaited value that did without something is built anew when that comes")
    func attempt() async throws {
        try container.add(module: "A", requires: ["B"]) { registry in
            registry.useCase(Node.self, named: "a", lifetime: .shared) { context async throws in
                Node("a", held: [try? context.core.node("b")].compactMap(\.self))
            }
        }
        let before = try await container.awaitedNode("a")

        try container.add(module: "B") { $0.node("b") }
        let after = try await container.awaitedNode("a")

        #expect(before.held.isEmpty)
        #expect(after.held.map(\.name) == ["b"])
    }

    @Test(
        "A provider that is awaited while its holder is built fails with the circle instead of waiting",
        .timeLimit(.minutes(1)))
    func provider() async throws {
        try container.add(module: "A", requires: ["B"]) { registry in
            registry.useCase(Node.self, named: "a", lifetime: .shared) { context async throws in
                let provider = context.core.nodeProvider("b")
                return Node("a", held: [try await provider()])
            }
        }
        try container.add(module: "B", requires: ["A"]) { registry in
            registry.useCase(Node.self, named: "b", lifetime: .shared) { context async throws in
                Node("b", held: [try await context.core.awaitedNode("a")])
            }
        }

        let error = await #expect(throws: ResolutionError.self) { try await container.awaitedNode("a") }

        #expect(error?.code == .cycle)
        #expect(error?.message == "Node 'a' needs itself: Node 'a' → Node 'b' → Node 'a'.")
    }
}
