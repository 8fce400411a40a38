@_spi(Host) package import AtriumKit
package import AtriumLibraries
internal import AtriumManifest
package import AtriumModules
internal import AtriumText
internal import MainQueue

@MainActor
package enum ModuleViews {
    package static func list(_ modules: [Module], environment: Environment) -> Content {
        Content {
            Table(modules) {
                Column("name") { $0.name }
                Column("version") { version(of: $0) }
                Column("state") { $0.state.name }
                Column("environment") { _ in environment.rawValue }
            }
            ClosingLine.total(modules.count, "module", counts(of: modules))
            let leftOut = modules.filter(\.isLeftOut).map(\.name)
            if !leftOut.isEmpty {
                Notice(
                    .information, "Left out of this start: \(leftOut.joined(separator: ", ")).",
                    hint: "module start \(leftOut[0])")
            }
            for module in modules where module.state.reason != nil && !module.isLeftOut {
                Notice(.warning, "\(module.name): \(module.state.reason ?? "")", hint: "why \(module.name)")
            }
        }
    }

    /// The cost of each loaded module: of its start, the slowest first, and since.
    ///
    /// `firstScreens` has the time in which the first screen of each module was shown.
    package static func costs(
        of modules: [Module], _ runtime: ModuleRuntime, firstScreens: [String: Duration]
    ) -> Content {
        let rows = modules.compactMap { module in
            runtime.generations(of: module).generations.last { $0.state == .active }.flatMap { report in
                report.start.map {
                    Cost(name: module.name, start: $0, firstScreen: firstScreens[module.name], report: report)
                }
            }
        }.sorted { $0.start.total > $1.start.total }
        return Content {
            costs(rows, ofStart: true)
            // Under the same key: programs get one row with everything.
            costs(rows, ofStart: false)
            ClosingLine.total(rows.count, "module")
        }
    }

    private struct Cost {
        let name: String
        let start: StartTimes
        let firstScreen: Duration?
        let report: GenerationReport
    }

    private static func costs(_ rows: [Cost], ofStart isStart: Bool) -> Content {
        Content {
            Table(rows) {
                Column("name") { $0.name }
                Column("reading", label: "Read", isHidden: !isStart) { time($0.start.reading) }
                Column("opening", label: "Open", isHidden: !isStart) { time($0.start.opening) }
                Column("registration", label: "Register", isHidden: !isStart) { time($0.start.registration) }
                Column("activation", label: "Activate", isHidden: !isStart) { time($0.start.activation) }
                Column("total", isHidden: !isStart) { time($0.start.total) }
                Column("firstScreen", label: "First screen", isHidden: isStart) { time($0.firstScreen) }
                Column("mainActor", label: "Main actor", isHidden: isStart) { time(usage(of: $0.name).total) }
                Column("delays", label: "Over 50 ms", isHidden: isStart) { usage(of: $0.name).delays }
                Column("longest", isHidden: isStart) { time(usage(of: $0.name).longest) }
                Column("mapped", label: "Bytes mapped", isHidden: isStart) { $0.report.mapped }
                Column("objects", isHidden: isStart) { $0.report.objects }
            }
        }
    }

    /// The times of modules on the main actor, for `top`.
    package static func times(of modules: [Module]) -> Content {
        Content {
            Table(modules, key: "times") {
                Column("module") { $0.name }
                Column("mainActorMicroseconds", label: "Main actor") { time(usage(of: $0.name).total) }
                Column("delays", label: "Over 50 ms") { usage(of: $0.name).delays }
                Column("longestMicroseconds", label: "Longest") { time(usage(of: $0.name).longest) }
            }
        }
    }

    private static func usage(of module: String) -> MainActorTime.Usage { MainActorTime.usage(of: module) }

    /// A duration in milliseconds, for programs in microseconds.
    private static func time(_ duration: Duration?) -> Worded {
        guard let duration else { return Worded("-", .null) }
        return Worded(APIViews.milliseconds(duration), .integer(duration.wholeMicroseconds))
    }

    /// The number of modules in each state: `3 active, 1 resolved`.
    private static func counts(of modules: [Module]) -> String {
        let states = modules.map(\.state.name)
        return states.uniqued.map { state in "\(states.count { $0 == state }) \(state)" }
            .joined(separator: ", ")
    }

    /// The version of a module; unknown if no file of the module was read.
    private static func version(of module: Module) -> Worded {
        guard let version = module.manifest?.version.description else { return Worded("-", .null) }
        return Worded(version, version)
    }

    package static func detail(
        _ module: Module, environment: Environment, generations: GenerationsReport? = nil,
        configuration: [ConfiguredValues.Value] = [], contracts: [ContractUse] = [], uses: [ModuleUse] = [],
        reach: Reach? = nil
    ) -> Content {
        let manifest = module.manifest
        return Content {
            Title(module.name)
            if let manifest { Text(manifest.summary) }
            Field("name", module.name)
            Field("version", manifest?.version.description)
            Field("state", module.state.name)
            if let reason = module.state.reason { Field("reason", reason) }
            Field("environment", environment.rawValue)
            Field("requires", manifest.map(requirements))
            if !uses.isEmpty { Field("uses", uses.map(text).joined(separator: ", ")) }
            Field("activation", manifest?.activation.rawValue)
            if let manifest {
                let declared = manifest.capabilities?.words
                Field(
                    "capabilities",
                    Worded(declared ?? "not declared", declared.map(JSONValue.string) ?? .null))
            }
            if let limit = reach?.limitWords { Field("limit", label: "At most", limit) }
            library(of: module)
            for sentence in reach?.sentences ?? [] { Notice(.information, sentence) }
            tables(manifest, contracts)
            let notes = uses.flatMap { [$0.note, $0.absence(of: module.name)] }
            for contract in contracts {
                if let note = contract.laterNote { Notice(.information, note, hint: contract.laterHint) }
            }
            for note in notes { if let note { Notice(.information, note) } }
            if !configuration.isEmpty { ConfigurationViews.table(configuration) }
            if let generations { ExplainViews.generations(generations) }
            if let hint = module.hint(contracts) {
                Notice(.warning, "The module is not active.", hint: hint)
            }
        }
    }

    /// The library of a module, and its trust.
    @ContentBuilder
    private static func library(of module: Module) -> Content {
        Field("sdk", label: "AtriumKit", module.manifest?.sdk?.description)
        Field("compiler", label: "Swift", module.manifest?.compiler)
        Field("path", label: "Library", module.path)
        Field("digest", label: "BLAKE2b digest", module.digest.map(Worded.init(digest:)))
        if let library = module.current?.library ?? module.library {
            Field("trust", library.evidence)
            if let note = library.pathNote { Field("resolved", label: "Resolved", note) }
        }
    }

    /// The screens, contribution points and contracts of a module.
    @ContentBuilder
    private static func tables(_ manifest: ModuleManifest?, _ contracts: [ContractUse]) -> Content {
        let screens = manifest?.screens ?? []
        Table(screens) {
            Column("link", label: "Screen", isHidden: screens.isEmpty) { $0.pattern }
            Column("summary", isHidden: screens.isEmpty) { $0.summary }
        }
        let points = manifest?.points ?? []
        if !points.isEmpty {
            Table(points, key: "points") {
                Column("point", label: "Contribution point") { $0.name }
                Column("element") { $0.element }
            }
        }
        if !contracts.isEmpty {
            Table(contracts, key: "contracts") {
                Column("contract") { $0.name }
                Column("range") { $0.range }
                Column("version", label: "Open") { $0.version }
                Column("trust") { $0.trust }
                Column("digest", isHidden: true) { $0.digest }
                Column("library") { $0.library }
            }
        }
    }

    private static func requirements(of manifest: ModuleManifest) -> String {
        manifest.requires.isEmpty
            ? "nothing" : manifest.requires.map { "\($0.name) \($0.range)" }.joined(separator: ", ")
    }

    /// A used module: `Catalog ^1.0.0`, with its state if it is not there.
    private static func text(_ use: ModuleUse) -> String {
        "\(use.module) \(use.range)"
            + (use.isPresent ? "" : use.note == nil ? " (\(use.state))" : " (\(use.version ?? ""))")
    }

    // MARK: - The tree

    /// The requirements as a tree, with the modules that no other requires at the top.
    package static func tree(_ modules: [Module]) -> Content {
        let required = Set(modules.flatMap { $0.manifest?.requires.map(\.name) ?? [] })
        let roots = modules.filter { !required.contains($0.name) }
        // In a dependency cycle, no module is a root.
        let lines = (roots.isEmpty ? modules : roots).flatMap { branch($0.name, nil, modules, path: []) }
        return Content { Verbatim("rows", lines, value: .array(modules.map(node))) }
    }

    private static func branch(
        _ name: String, _ range: String?, _ modules: [Module], path: [String]
    ) -> [String] {
        let indent = String(repeating: "  ", count: path.count)
        guard let module = modules.first(where: { $0.name == name }) else {
            return ["\(indent)\(name) \(range ?? "") is not installed"]
        }
        let version = module.manifest.map { " \($0.version)" } ?? ""
        let required = range.map { " (\($0))" } ?? ""
        let line = "\(indent)\(name)\(version)\(required) \(module.state.name)"
        guard !path.contains(name) else { return [line + ", as above"] }
        let below = module.manifest?.requires ?? []
        let used = (module.manifest?.uses ?? []).map { use in
            let installed = modules.first { $0.name == use.name }
            let version = installed?.manifest.map { " \($0.version)" } ?? ""
            return "\(indent)  \(use.name)\(version) (uses \(use.range)) "
                + (installed?.state.name ?? "is not installed")
        }
        return [line] + below.flatMap { branch($0.name, "\($0.range)", modules, path: path + [name]) } + used
    }

    private static func node(_ module: Module) -> JSONValue {
        [
            "name": .string(module.name),
            "version": module.manifest.map { .string($0.version.description) } ?? .null,
            "state": .string(module.state.name),
            "requires": ranges(module.manifest?.requires), "uses": ranges(module.manifest?.uses),
        ]
    }

    private static func ranges(_ others: [Requirement]?) -> JSONValue {
        .array((others ?? []).map { ["name": .string($0.name), "range": .string("\($0.range)")] })
    }
}
