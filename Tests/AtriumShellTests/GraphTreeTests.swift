import Testing

@testable import AtriumCommands
@_spi(Host) @testable import AtriumKit
@testable import AtriumViews

@Suite("Dependency graphs as trees")
struct GraphTreeTests {
    private func tree(_ names: [String], _ edges: [(Int, Int)], roots: [Int]? = nil) -> [String] {
        GraphDrawing.tree(DependencyGraph(names, edges), roots: roots)
            .map { $0.replacing(" (repository, Shop)", with: "") }
    }

    @Test("Nodes without dependents are roots, with their dependencies in order below them")
    func nesting() {
        let lines = tree(["A", "B", "C", "D", "E"], [(0, 2), (0, 1), (1, 3), (2, 4)])

        #expect(lines == ["A", "├─ C", "│  └─ E", "└─ B", "   └─ D"])
    }

    @Test("A shared node is drawn in full once; later an ellipsis replaces its dependencies")
    func again() {
        let lines = tree(["A", "B", "Shared", "Leaf"], [(0, 2), (1, 2), (2, 3)])

        #expect(lines == ["A", "└─ Shared", "   └─ Leaf", "B", "└─ Shared …"])
    }

    @Test("A node without dependencies never has an ellipsis")
    func leaf() {
        #expect(tree(["A", "B", "Leaf"], [(0, 2), (1, 2)]) == ["A", "└─ Leaf", "B", "└─ Leaf"])
    }

    @Test("A cycle below a root ends where it closes")
    func circle() {
        let lines = tree(["A", "B", "C"], [(0, 1), (1, 2), (2, 1)])

        #expect(lines == ["A", "└─ B", "   └─ C", "      └─ B …"])
    }

    @Test("Cycles without other dependents are drawn too, each from its first node")
    func unaskedCircles() {
        let lines = tree(["A", "B", "C", "D", "Own"], [(0, 1), (1, 0), (2, 3), (3, 2), (4, 4)])

        #expect(
            lines == ["A", "└─ B", "   └─ A …", "C", "└─ D", "   └─ C …", "Own", "└─ Own …"])
    }

    @Test("Every node is drawn, and each with dependencies exactly once in full", arguments: 0..<6)
    func complete(_ seed: Int) {
        let count = 12
        let edges = (0..<count * 2).map { ($0 * (seed * 2 + 3) % count, ($0 * $0 + seed) % count) }
        let names = (0..<count).map { "N\($0)" }

        let lines = tree(names, edges)

        let drawn = lines.map { $0.drop { "│├└─ ".contains($0) } }
        for (position, name) in names.enumerated() where edges.contains(where: { $0.0 == position }) {
            #expect(drawn.count { $0 == name } == 1, "\(lines)")
        }
        #expect(Set(drawn.map { $0.prefix { $0 != " " } }) == Set(names.map { $0[...] }))
    }

    @Test("Only the given roots and their dependencies are drawn")
    func roots() {
        let names = ["A", "B", "C", "D"]
        let edges = [(0, 1), (1, 2), (3, 2)]

        #expect(tree(names, edges, roots: [1]) == ["B", "└─ C"])
        #expect(tree(names, edges, roots: [2]) == ["C"])
        #expect(tree(names, edges, roots: [0, 1]) == ["A", "└─ B", "   └─ C", "B …"])
        #expect(tree(names, edges, roots: []) == [])
    }

    @Test("Each line has the layer and the module, or 'list' or 'not registered'")
    func labels() {
        let nodes: [DependencyGraph.Node] = [
            .named("menu", .screen, of: "Kitchen"), .named("MenuViewModel", .viewModel, of: "Kitchen"),
            .named("Cook", .useCase, of: "Kitchen"), .named("Menu", .aggregateModel, of: "Kitchen"),
            .named("Stove", .service, of: nil), .named("Recipe 'recipes'", .list, of: nil),
            .named("Recipe 'recipes, Kitchen 1'", .contribution, of: "Kitchen"),
        ]
        let graph = DependencyGraph(
            nodes,
            [
                (0, 1, .direct), (1, 2, .deferred), (1, 3, .direct), (2, 4, .deferred),
                (3, 5, .contributions),
                (5, 6, .contributions),
            ])

        #expect(
            GraphDrawing.tree(graph) == [
                "menu (screen, Kitchen)",
                "└─ MenuViewModel (view model, Kitchen)",
                "   ├─ Cook (use case, Kitchen) through a provider",
                "   │  └─ Stove (not registered) through a provider",
                "   └─ Menu (aggregate model, Kitchen)",
                "      └─ Recipe 'recipes' (list)",
                "         └─ Recipe 'recipes, Kitchen 1' (contribution, Kitchen)",
            ])
    }

    @Test("JSON has the nodes that are drawn, with the ids that their edges use")
    func json() {
        let graph = DependencyGraph(
            [.named("A"), .named("B", .service, lifetime: .transient), .named("C", of: nil)],
            [(0, 1, .direct), (1, 2, .deferred)])

        let json = GraphDrawing(graph, roots: [1]).tree.json["graph"]

        #expect(
            json == [
                "nodes": [
                    [
                        "id": 0, "name": "B", "layer": "service", "module": "Shop", "lifetime": "transient",
                    ],
                    ["id": 1, "name": "C", "layer": "repository", "module": .null, "lifetime": "shared"],
                ],
                "edges": [["from": 0, "to": 1, "kind": "deferred"]],
            ])
    }
}
