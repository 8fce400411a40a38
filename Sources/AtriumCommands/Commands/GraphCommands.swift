@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumText
internal import AtriumViews

/// Options shared by commands that draw a graph: text, or Graphviz.
extension HostCommands {
    var dotSwitch: Argument<Bool> { Argument("dot", "Print text for Graphviz", default: false) }

    var svgSwitch: Argument<Bool> {
        Argument("svg", "Print a picture, which Graphviz draws; to a file: > graph.svg", default: false)
    }

    /// A graph as text, in Graphviz's language, or as a picture.
    ///
    /// The host runs Graphviz, so the result is the same for every front end.
    func graph(
        _ text: Content, _ dot: @autoclosure () -> [String], _ isDOT: Bool, _ isSVG: Bool
    ) async throws -> ActionResult {
        guard !(isDOT && isSVG) else {
            throw ArgumentError(.invalidArgument, "Either '--dot' or '--svg' can be given, not both.")
        }
        if isDOT { return .content(Content { Verbatim("dot", dot()) }) }
        guard isSVG else { return .content(text) }
        let picture = try await Graphviz.svg(of: dot())
        return .content(Content { Verbatim("svg", picture) })
    }
}

extension ModuleViews {
    /// The requirements and uses for Graphviz: modules dashed if not active, dotted if not installed; uses
    /// dashed.
    static func dot(_ modules: [Module]) -> [String] {
        var graph = GraphText()
        var ids: [String: String] = [:]
        for module in modules {
            let id = "m\(ids.count)"
            ids[module.name] = id
            let version = module.manifest.map { " \($0.version)" } ?? ""
            graph.node(
                id, module.name + version, module.state.name,
                style: module.state.isActive ? nil : "style=dashed")
        }
        for module in modules {
            let uses = module.manifest?.uses ?? []
            for requirement in (module.manifest?.requires ?? []) + uses {
                if ids[requirement.name] == nil {
                    let id = "m\(ids.count)"
                    ids[requirement.name] = id
                    graph.node(id, requirement.name, "not installed", style: "style=dotted")
                }
                guard let from = ids[module.name], let to = ids[requirement.name] else { continue }
                let isUse = uses.contains(requirement)
                graph.arrow(
                    from: from, to: to, label: (isUse ? "uses " : "") + "\(requirement.range)",
                    style: isUse ? "style=dashed" : nil)
            }
        }
        return graph.ended
    }
}
