@_spi(Host) @testable import AtriumKit
@testable import AtriumShell

// Dependency graphs that are written down instead of recorded.

extension DependencyGraph {
    /// A graph of `nodes` with these edges, in order, each of two positions and how one holds the other.
    init(_ nodes: [Node], _ edges: [(from: Int, to: Int, kind: EdgeKind)] = []) {
        self.init(nodes: nodes, edges: edges.map { Edge(from: $0.from, to: $0.to, kind: $0.kind) })
    }

    /// A graph of repositories of module Shop that hold each other.
    init(_ names: [String], _ edges: [(Int, Int)]) {
        self.init(names.map { .named($0) }, edges.map { ($0.0, $0.1, .direct) })
    }
}

extension DependencyGraph.Node {
    static func named(
        _ name: String, _ layer: Layer = .repository, of module: String? = "Shop",
        lifetime: Lifetime = .shared
    ) -> DependencyGraph.Node {
        DependencyGraph.Node(
            name: name, layer: layer, module: module, lifetime: lifetime, arguments: [],
            isBuilt: false, builds: 0, environments: [])
    }
}

extension Content {
    /// The lines that are shown as they are.
    var verbatimLines: [String] {
        var lines: [String] = []
        for block in blocks { if case .verbatim(let verbatim) = block { lines += verbatim.lines } }
        return lines
    }
}

extension GraphDrawing {
    /// The tree of `graph` in lines.
    static func tree(_ graph: DependencyGraph, roots: [Int]? = nil) -> [String] {
        GraphDrawing(graph, roots: roots).tree.verbatimLines
    }

    /// `graph` in the language of Graphviz, in lines.
    static func dot(_ graph: DependencyGraph, roots: [Int]? = nil) -> [String] {
        GraphDrawing(graph, roots: roots).dot.verbatimLines
    }
}

extension JSONValue {
    /// The elements of a list; nil where it is none.
    var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
