import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

@Suite("Verification of random graphs")
@MainActor
struct VerificationPropertyTests {
    /// Kinds of graphs: valid ones, ones with all kinds of errors, and ones with optional dependencies.
    private nonisolated static let graphs = [
        RandomGraph(size: 60, moduleCount: 5),
        RandomGraph(size: 60, moduleCount: 5, missing: 30, unreachable: 60, failing: 20),
        RandomGraph(size: 60, moduleCount: 5, back: 60, missing: 20, unreachable: 30),
        RandomGraph(size: 60, moduleCount: 5, missing: 60, unreachable: 80, failing: 60, attempts: true),
        RandomGraph(size: 20, moduleCount: 3, back: 200, failing: 30),
        RandomGraph(size: 12, moduleCount: 2, back: 100, missing: 60, unreachable: 100, failing: 60),
    ]

    @Test(
        "Verification finds each error once, builds the rest and records all edges",
        arguments: graphs.indices)
    func agrees(_ kind: Int) async throws {
        for seed in 1...12 { try await check(Self.graphs[kind], seed: UInt64(seed * 10 + kind)) }
    }

    @Test("Verification of a thousand registrations finds each error once and builds the rest")
    func large() async throws {
        let graph = RandomGraph(size: 1000, moduleCount: 12, back: 2, missing: 3, unreachable: 8, failing: 3)
        try await check(graph, seed: 7)
    }

    private func check(_ graph: RandomGraph, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let modules = graph.modules(&generator)
        let live = LiveCount()
        let container = Container(environment: .mock)
        for module in modules.shuffled(using: &generator) {
            try container.add(module.registry(live).registry)
        }
        let expected = ExpectedVerification(modules)
        let names = Names(modules)

        let report = try container.verify(screens: []) { $0.infrastructure }

        let found = report.findings.map { finding in
            expected.cause(of: finding.error.code, at: finding.path.compactMap { names.number($0) })
        }
        #expect(Set(found) == expected.causes, "seed \(seed)")
        #expect(found.count == expected.causes.count, "seed \(seed)")
        let built = Set(report.graph.nodes.filter(\.isBuilt).compactMap { names.number($0.name) })
        let sharedParts = modules.flatMap(\.definitions).filter { $0.lifetime == .shared }.map(\.number)
        #expect(built == expected.sound.intersection(sharedParts), "seed \(seed)")
        #expect(edges(in: report.graph, names, expected) == described(expected), "seed \(seed)")
        #expect(container.graph.nodes.allSatisfy { !$0.isBuilt && $0.builds == 0 }, "seed \(seed)")
        #expect(live.count == modules.flatMap(\.definitions).count, "Values are still alive, seed \(seed)")
    }

    /// Returns the edges between buildable values, without those to elements of the list.
    private func edges(
        in graph: DependencyGraph, _ names: Names, _ expected: ExpectedVerification
    ) -> Set<String> {
        let numbers = graph.nodes.map { names.number($0.name) }
        return Set(
            graph.edges.compactMap { edge in
                guard let from = numbers[edge.from] ?? nil, let to = numbers[edge.to] ?? nil,
                    expected.sound.contains(from), expected.sound.contains(to),
                    !names.isElement(graph.nodes[edge.to].name)
                else { return nil }
                return "\(from) \(edge.kind) \(to)"
            })
    }

    private func described(_ expected: ExpectedVerification) -> Set<String> {
        Set(
            expected.sound.flatMap { number in
                expected.edges(of: number).filter { expected.sound.contains($0.to) }
                    .map { "\(number) \($0.kind) \($0.to)" }
            })
    }
}
