@_spi(Host) package import AtriumKit
internal import AtriumText

/// Draws a dependency graph as a tree of lines, and in the language of Graphviz.
package struct GraphDrawing {
    /// A layer in words: "use case".
    package static func name(of layer: Layer) -> String {
        switch layer {
        case .useCase: "use case"
        case .aggregateModel: "aggregate model"
        case .viewModel: "view model"
        default: layer.rawValue
        }
    }

    /// The positions in a graph of the registrations with these names.
    package static func positions(of names: [String], in graph: DependencyGraph) -> [Int] {
        graph.nodes.indices.filter { names.contains(graph.nodes[$0].name) }
    }

    private let graph: DependencyGraph
    private let roots: [Int]
    private let targets: [[DependencyGraph.Edge]]
    private let reachable: Set<Int>

    /// The tree begins at `roots`; by default, at the nodes that nothing depends on.
    package init(_ graph: DependencyGraph, roots: [Int]? = nil) {
        self.graph = graph
        targets = graph.nodes.indices.map { [graph] in graph.edges(from: $0) }
        let required = Set(graph.edges.map(\.to))
        var chosen = roots ?? graph.nodes.indices.filter { !required.contains($0) }
        var reachable = Self.reachable(from: chosen, targets)
        if roots == nil {
            // A cycle that nothing else depends on has no root: any will do.
            for node in graph.nodes.indices where !reachable.contains(node) {
                chosen.append(node)
                reachable.formUnion(Self.reachable(from: [node], targets))
            }
        }
        self.roots = chosen
        self.reachable = reachable
    }

    private static func reachable(from roots: [Int], _ targets: [[DependencyGraph.Edge]]) -> Set<Int> {
        var reachable = Set(roots)
        var waiting = roots
        while let node = waiting.popLast() {
            for edge in targets[node] where reachable.insert(edge.to).inserted { waiting.append(edge.to) }
        }
        return reachable
    }

    /// Each root with its dependencies below; a node that was drawn already ends in "…".
    package var tree: Content {
        var drawn: Set<Int> = []
        var lines: [String] = []
        for root in roots { draw(root, kind: nil, prefix: "", childPrefix: "", into: &lines, &drawn) }
        return Content { Verbatim("graph", lines, value: .object(json)) }
    }

    private func draw(
        _ node: Int, kind: EdgeKind?, prefix: String, childPrefix: String, into lines: inout [String],
        _ drawn: inout Set<Int>
    ) {
        let edges = targets[node]
        let isAgain = !drawn.insert(node).inserted && !edges.isEmpty
        lines.append(prefix + label(node, kind) + (isAgain ? " …" : ""))
        guard !isAgain else { return }
        for (index, edge) in edges.enumerated() {
            let isLast = index == edges.count - 1
            draw(
                edge.to, kind: edge.kind, prefix: childPrefix + (isLast ? "└─ " : "├─ "),
                childPrefix: childPrefix + (isLast ? "   " : "│  "), into: &lines, &drawn)
        }
    }

    private func label(_ position: Int, _ kind: EdgeKind?) -> String {
        let node = graph.nodes[position]
        let how = kind == .deferred ? " through a provider" : ""
        guard let module = node.module else {
            return "\(node.name) (\(node.layer == .list ? "list" : "not registered"))\(how)"
        }
        return "\(node.name) (\(GraphDrawing.name(of: node.layer)), \(module))\(how)"
    }

    /// For Graphviz: a cluster for each module, dashed arrows for providers.
    package var dot: [String] {
        var text = GraphText()
        let shown = graph.nodes.indices.filter(isShown)
        for module in shown.compactMap({ graph.nodes[$0].module }).uniqued {
            text.cluster(module) { text in
                for node in shown where graph.nodes[node].module == module { add(node, to: &text) }
            }
        }
        for node in shown where graph.nodes[node].module == nil { add(node, to: &text) }
        for edge in graph.edges where isShown(edge.from) && isShown(edge.to) {
            text.arrow(
                from: "n\(number(edge.from))", to: "n\(number(edge.to))",
                style: edge.kind == .deferred ? "style=dashed" : nil)
        }
        return text.ended
    }

    private func add(_ position: Int, to text: inout GraphText) {
        let node = graph.nodes[position]
        text.node(
            "n\(number(position))", node.name, GraphDrawing.name(of: node.layer),
            style: node.module == nil ? "style=dotted" : node.layer == .screen ? "style=rounded" : nil)
    }

    private func isShown(_ node: Int) -> Bool { reachable.contains(node) }

    private func number(_ node: Int) -> Int64 { Int64(reachable.count { $0 < node }) }

    private var json: JSONObject {
        [
            "nodes": .array(
                graph.nodes.enumerated().filter { isShown($0.offset) }.map { position, node in
                    .object([
                        "id": .integer(number(position)), "name": .string(node.name),
                        "layer": .string(node.layer.rawValue),
                        "module": node.module.map { .string($0) } ?? .null,
                        "lifetime": .string(node.lifetime.rawValue),
                    ])
                }),
            "edges": .array(
                graph.edges.filter { isShown($0.from) }.map { edge in
                    .object([
                        "from": .integer(number(edge.from)), "to": .integer(number(edge.to)),
                        "kind": .string(edge.kind.rawValue),
                    ])
                }),
        ]
    }
}
