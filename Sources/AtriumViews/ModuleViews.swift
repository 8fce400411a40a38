@_spi(Host) package import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
package import AtriumModules
internal import AtriumText

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

    /// The cost of each loaded module, the slowest start first.
    package static func costs(of modules: [Module], _ runtime: ModuleRuntime) -> Content {
        let rows = modules.compactMap { module in
            runtime.generations(of: module).generations.last { $0.state == .active }.map {
                (name: module.name, report: $0)
            }
        }.sorted { $0.report.total > $1.report.total }
        return Content {
            Table(rows) {
                Column("name") { $0.name }
                Column("opening", label: "Open") { time($0.report.opening) }
                Column("registration", label: "Register") { time($0.report.registration) }
                Column("activation", label: "Activate") { time($0.report.activation) }
                Column("total") { time($0.report.total) }
                Column("mapped", label: "Bytes mapped") { $0.report.mapped }
                Column("objects") { $0.report.objects }
            }
            ClosingLine.total(rows.count, "module")
        }
    }

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
            for use in uses { if let note = use.note { Notice(.information, note) } }
            if !configuration.isEmpty { ConfigurationViews.table(configuration) }
            if let generations { ExplainViews.generations(generations) }
            if let hint = module.state.hint(for: module.name) {
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
