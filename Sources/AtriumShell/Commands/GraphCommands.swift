@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumNavigation
internal import AtriumRuntime

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
    /// The requirements for Graphviz: dashed if not active, dotted if not installed.
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
            for requirement in module.manifest?.requires ?? [] {
                if ids[requirement.name] == nil {
                    let id = "m\(ids.count)"
                    ids[requirement.name] = id
                    graph.node(id, requirement.name, "not installed", style: "style=dotted")
                }
                guard let from = ids[module.name], let to = ids[requirement.name] else { continue }
                graph.arrow(from: from, to: to, label: "\(requirement.range)")
            }
        }
        return graph.ended
    }
}

/// The stacks of all scenes, and the screens that their entries show.
@MainActor
struct NavigationDrawing {
    private let scenes: [Scene]
    private let links: [KnownLink]

    init(_ host: ShellHost, at scene: Scene) {
        scenes = host.scenes
        links = scene.knownLinks
    }

    /// Each scene with its stack, the current screen last.
    var text: Content {
        var lines: [String] = []
        for scene in scenes {
            lines.append(scene.name)
            for (index, entry) in scene.coordinator.state.entries.enumerated() {
                let indent = String(repeating: "  ", count: index + 1)
                let note = entry.presentation == nil ? "" : " (presented)"
                lines.append("\(indent)└ \(Link.shown(entry.link))\(note)")
            }
        }
        return Content { Verbatim("rows", lines, value: .array(scenes.map(json))) }
    }

    private func json(_ scene: Scene) -> JSONValue {
        [
            "scene": .string(scene.name),
            "stack": .array(
                scene.coordinator.state.entries.map { entry in
                    [
                        "link": .string(Link.shown(entry.link)), "module": .string(entry.module),
                        "screen": screen(of: entry).map { .string(links[$0].pattern.description) } ?? .null,
                        "presented": .bool(entry.presentation != nil),
                    ]
                }),
        ]
    }

    /// A frame for each scene with its stack, and for each module with its screens; dotted arrows link them.
    var dot: [String] {
        var graph = GraphText(direction: "LR")
        for (number, scene) in scenes.enumerated() {
            let entries = scene.coordinator.state.entries
            graph.cluster("scene \(scene.name)") { graph in
                graph.node("s\(number)", "home", style: entries.isEmpty ? Self.current : nil)
                for (index, entry) in entries.enumerated() {
                    let isCurrent = index == entries.count - 1
                    graph.node(
                        "s\(number)e\(index)", Link.shown(entry.link), style: isCurrent ? Self.current : nil)
                    graph.arrow(
                        from: index == 0 ? "s\(number)" : "s\(number)e\(index - 1)",
                        to: "s\(number)e\(index)",
                        label: entry.presentation == nil ? nil : "presents")
                }
            }
        }
        for module in links.map(\.module).uniqued {
            graph.cluster(module) { graph in
                for (index, link) in links.enumerated() where link.module == module {
                    let guards =
                        link.guards.isEmpty ? "" : "\nguarded by \(link.guards.joined(separator: ", "))"
                    graph.node(
                        "p\(index)", link.pattern.description + guards,
                        style: link.isLoaded ? "style=rounded" : "style=\"rounded,dashed\"")
                }
            }
        }
        for (number, scene) in scenes.enumerated() {
            for (index, entry) in scene.coordinator.state.entries.enumerated() {
                guard let screen = screen(of: entry) else { continue }
                graph.arrow(from: "s\(number)e\(index)", to: "p\(screen)", style: "style=dotted")
            }
        }
        return graph.ended
    }

    private static let current = "penwidth=2"

    /// The index of the link that an entry's screen answers.
    private func screen(of entry: StackEntry) -> Int? {
        guard let link = try? Link(entry.link) else { return nil }
        return links.firstIndex { $0.module == entry.module && $0.pattern.matches(link) }
    }
}
