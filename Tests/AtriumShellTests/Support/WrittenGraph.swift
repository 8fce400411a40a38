@testable import AtriumCommands
@_spi(Host) @testable import AtriumKit
@testable import AtriumViews

// Dependency graphs that tests write instead of recording them.

extension DependencyGraph {
    /// Creates a graph of `nodes` with these edges in order, each with two indices and its kind.
    init(_ nodes: [Node], _ edges: [(from: Int, to: Int, kind: EdgeKind)] = []) {
        self.init(nodes: nodes, edges: edges.map { Edge(from: $0.from, to: $0.to, kind: $0.kind) })
    }

    /// Creates a graph of repositories of module Shop with direct edges.
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
            name: name, code: name, layer: layer, module: module, lifetime: lifetime, arguments: [],
            isBuilt: false, builds: 0, environments: [])
    }
}

extension Content {
    /// The lines of verbatim blocks.
    var verbatimLines: [String] {
        var lines: [String] = []
        for block in blocks { if case .verbatim(let verbatim) = block { lines += verbatim.lines } }
        return lines
    }
}

extension GraphDrawing {
    /// Returns the lines of the tree of `graph`.
    static func tree(_ graph: DependencyGraph, roots: [Int]? = nil) -> [String] {
        GraphDrawing(graph, roots: roots).tree.verbatimLines
    }

    /// Returns the lines of `graph` in the language of Graphviz.
    static func dot(_ graph: DependencyGraph, roots: [Int]? = nil) -> [String] {
        GraphDrawing(graph, roots: roots).dot
    }
}

extension JSONValue {
    /// The elements of an array; nil if the value is not an array.
    var elements: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
