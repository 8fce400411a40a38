@_spi(Host) package import AtriumKit
package import AtriumNavigation
internal import AtriumText

@MainActor
package enum ContainerViews {
    package static func overview(_ graph: DependencyGraph, _ container: Container, leaks: [AliveObject])
        -> Content
    {
        let registered = graph.nodes.filter { $0.module != nil }
        return Content {
            Field("registrations", registered.count)
            Field("built", label: "Shared values built", graph.nodes.filter(\.isBuilt).count)
            Field("environment", container.environment.rawValue)
            Field("trace", container.isTraced ? "on" : "off")
            Table(registered) {
                Column("name") { $0.name }
                Column("layer") { Worded(GraphDrawing.name(of: $0.layer), $0.layer.rawValue) }
                Column("module") { $0.module }
                Column("lifetime") { $0.lifetime.rawValue }
                Column("isBuilt", label: "Built") { $0.lifetime == .shared ? $0.isBuilt : nil }
                Column("builds", isHidden: true) { $0.builds }
            }
            if !leaks.isEmpty {
                Table(leaks, key: "outlived") {
                    Column("name", label: "Outlived its screen") { $0.name }
                    Column("link", label: "Screen") { $0.link }
                }
            }
        }
    }

    /// The registrations that hold an object, by the edges of the container.
    package static func holders(of name: String, in graph: DependencyGraph) -> Content {
        let edges = GraphDrawing.positions(of: [name], in: graph).flatMap(graph.edges(to:)).filter {
            $0.kind != .deferred
        }
        guard !edges.isEmpty else { return Content() }
        return Content {
            Table(edges, key: "heldBy") {
                Column("name", label: "Held by") { graph.nodes[$0.from].name }
                Column("module") { graph.nodes[$0.from].module }
            }
        }
    }

    package static func detail(_ names: [String], in whole: DependencyGraph, live: DependencyGraph) -> Content
    {
        Content {
            for position in GraphDrawing.positions(of: names, in: whole) {
                detail(
                    position, in: whole,
                    isBuilt: live.nodes.contains { $0.isSame(as: whole.nodes[position]) && $0.isBuilt })
            }
        }
    }

    private static func detail(_ position: Int, in graph: DependencyGraph, isBuilt: Bool) -> Content {
        let node = graph.nodes[position]
        let needs = graph.edges(from: position)
        let neededBy = graph.edges(to: position)
        return Content {
            Title(node.name)
            Field("name", node.name)
            Field("layer", Worded(GraphDrawing.name(of: node.layer), node.layer.rawValue))
            Field("module", node.module)
            Field("lifetime", node.lifetime.rawValue)
            if !node.arguments.isEmpty { Field("arguments", node.arguments.joined(separator: ", ")) }
            if !node.environments.isEmpty { Field("environments", Worded(node.environments.map(\.rawValue))) }
            if node.lifetime == .shared { Field("isBuilt", label: "Built", isBuilt) }
            connections("rows", "Needs", needs.map { (graph.nodes[$0.to], $0.kind) })
            connections("neededBy", "Needed by", neededBy.map { (graph.nodes[$0.from], $0.kind) })
        }
    }

    private static func connections(
        _ key: String, _ heading: String, _ nodes: [(node: DependencyGraph.Node, kind: EdgeKind)]
    ) -> Content {
        guard !nodes.isEmpty else {
            return Content { Verbatim(key, [heading + " nothing."], value: .array([])) }
        }
        return Content {
            Table(nodes, key: key) {
                Column("name", label: heading) { $0.node.name }
                Column("layer") { Worded(GraphDrawing.name(of: $0.node.layer), $0.node.layer.rawValue) }
                Column("module") { $0.node.module }
                Column("kind", label: "How") { Worded($0.kind.phrase, $0.kind.rawValue) }
            }
        }
    }

    /// The findings of a verification, with notes about modules beside its own.
    package static func report(
        _ report: VerificationReport, inactive: [any ExplainedError], notes: [String] = []
    ) -> Content {
        let failures = report.findings.count + inactive.count
        return Content {
            Field("checked", label: "Registrations built", report.checked)
            Field("findings", failures)
            if failures > 0 {
                for error in inactive { Notice(.problem, error.message, hint: error.hint) }
                for finding in report.findings {
                    Notice(.problem, finding.error.message + finding.consequence, hint: finding.error.hint)
                }
            }
            Verbatim(
                "rows", [],
                value: .array(
                    inactive.map { problem($0) }
                        + report.findings.map { problem($0.error, path: $0.path, screens: $0.screens) }))
            for note in report.notes + notes { Notice(.information, note) }
            if failures == 0 { Notice(.success, "Everything that is registered can be built.") }
        }
    }

    private static func problem(
        _ error: any ExplainedError, path: [String] = [], screens: [String] = []
    ) -> JSONValue {
        var object = error.json
        object["path"] = Worded(path).json
        object["screens"] = Worded(screens).json
        return .object(object)
    }
}

extension VerificationReport.Finding {
    fileprivate var consequence: String {
        let others = screens.filter { $0 != path.first }
        guard !others.isEmpty else { return "" }
        let list = others.map { "'\($0)'" }.joined(separator: ", ")
        return " It also prevents \(list) from opening."
    }
}

extension DependencyGraph.Node {
    fileprivate func isSame(as other: DependencyGraph.Node) -> Bool {
        name == other.name && layer == other.layer && module == other.module
    }
}

extension EdgeKind {
    fileprivate var phrase: String {
        switch self {
        case .direct: "holds it"
        case .contributions: "reads the list"
        case .deferred: "through a provider"
        }
    }
}
