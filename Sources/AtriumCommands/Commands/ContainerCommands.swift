@_spi(Host) internal import AtriumKit
internal import AtriumModules
internal import AtriumNavigation
internal import AtriumNetworking
internal import AtriumText
internal import AtriumViews

extension HostCommands {
    private var registrationNames: [String] { offersNames ? live.nodes.map(\.name).uniqued : [] }

    private var live: DependencyGraph { host.runtime.container.graph }

    /// The graph with the edges of everything that can be built, found by building it in a sandbox.
    private func wholeGraph() async throws -> DependencyGraph {
        try await host.runtime.wholeGraph(host.screens.all)
    }

    @ActionsBuilder var inspection: [Action] {
        Action(
            "container", "List the registrations, or show one with its dependencies", effect: .reads,
            Argument<String?>("name", "A type, as 'container' lists it", suggestions: registrationNames)
        ) { name in
            guard let name else {
                return .content(
                    ContainerViews.overview(live, host.runtime.container, leaks: scene.coordinator.leaks))
            }
            return .content(ContainerViews.detail(try find(name), in: try await wholeGraph(), live: live))
        }
        Action(
            "container graph", "Draw the dependencies, from the screens down", effect: .reads,
            Argument<String?>("name", "The registration at the top", suggestions: registrationNames),
            dotSwitch, svgSwitch
        ) { name, isDOT, isSVG in
            let roots = try name.map(find)
            let graph = try await wholeGraph()
            let drawing = GraphDrawing(
                graph, roots: roots.map { names in GraphDrawing.positions(of: names, in: graph) })
            return try await self.graph(drawing.tree, drawing.dot, isDOT, isSVG)
        }
        Action(
            "verify", "Build everything, and show each story, in environment mock",
            effect: .reads
        ) {
            let report = try await host.runtime.verify(host.screens.all)
            let problems = host.runtime.problems + (try await StoryStage(scene).problems(of: host.stories))
            let content = ContainerViews.report(report, inactive: problems, notes: host.runtime.notes)
            let count = report.findings.count + problems.count
            guard count == 0 else {
                throw ShellError(
                    "verification",
                    count == 1 ? "Verification found a problem." : "Verification found \(count) problems.",
                    category: .module, details: content)
            }
            return .content(content)
        }
        Action(
            "trace", "Print what is built, or each request to the server, with its time; secrets are hidden",
            effect: .changes, Argument<Traced?>("what", "The container, or the API"),
            Argument<APITracer.Detail?>(
                "detail", "Off, on, or full: header fields and bodies too; without it, show which")
        ) { traced, detail in
            switch traced {
            case nil:
                guard detail == nil else {
                    throw ArgumentError(
                        .missingArgument, "'trace' needs a subject before the detail: container or api.",
                        hint: "trace container on")
                }
                return .content(
                    Content {
                        Field("container", host.runtime.container.isTraced ? "on" : "off")
                        Field("api", label: "API", host.apis.tracer.detail.rawValue)
                    })
            case .container:
                guard detail != .full else {
                    throw ArgumentError(
                        .invalidArgument, "The trace of the container has no header fields or bodies.",
                        hint: "trace container on")
                }
                if let detail { scene.trace(detail != .off) }
                return .content(Content { Field("trace", host.runtime.container.isTraced ? "on" : "off") })
            case .api:
                try require(.live, "The API is used")
                if let detail { scene.trace(detail) }
                return .content(Content { Field("trace", host.apis.tracer.detail.rawValue) })
            }
        }
        Action("health", "Run the health checks of all modules", effect: .reads) {
            .content(
                try await HealthReport.content(
                    host.runtime, feedLoss: host.feedLoss(), notes: host.runtime.notes))
        }
    }

    /// The registrations of a type, with or without their own name after it, or those of a name, such as a
    /// contribution point's, in any letter case.
    private func find(_ name: String) throws -> [String] {
        let names = live.nodes.map(\.name).uniqued
        if names.contains(name) { return [name] }
        let wanted = name.lowercased()
        let similar = names.filter {
            let name = $0.lowercased()
            return name == wanted || name.hasPrefix("\(wanted) '") || name.hasSuffix(" '\(wanted)'")
                || name.contains(" '\(wanted), ")
        }
        guard similar.isEmpty else { return similar }
        let command = NearestName.of(name, among: ["graph"])
        throw ShellError.unknown(
            .notRegistered, name, among: names,
            else: command.map { "Did you mean 'container \($0)'?" } ?? "'container' lists what is."
        ) { "Nothing called '\($0)' is registered." }
    }
}

extension APITracer.Detail: ArgumentValue {}

/// The subjects of `trace`.
private enum Traced: String, CaseIterable, ArgumentValue { case container, api }
