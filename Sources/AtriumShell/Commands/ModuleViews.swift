internal import AtriumKit
internal import AtriumManifest
internal import AtriumRuntime

/// How modules are shown.
@MainActor
enum ModuleViews {
    static func list(_ modules: [Module], environment: Environment) -> Content {
        Content {
            Table(modules) {
                Column("name") { $0.name }
                Column("version") { $0.manifest?.version.description }
                Column("state") { $0.state.name }
                Column("environment") { _ in environment.rawValue }
            }
            for module in modules where module.state.reason != nil {
                Notice(
                    .warning, "\(module.name): \(module.state.reason ?? "")", hint: "module \(module.name)")
            }
        }
    }

    static func detail(_ module: Module, environment: Environment) -> Content {
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
            Field("sdk", label: "AtriumKit", manifest?.sdk?.description)
            Field("compiler", label: "Swift", manifest?.compiler)
            Field("path", label: "Library", module.path)
            Field("digest", label: "BLAKE2b digest", module.digest)
            if let manifest, !manifest.screens.isEmpty {
                Table(manifest.screens, key: "screens") {
                    Column("link", label: "Screen") { $0.pattern }
                    Column("summary") { $0.summary }
                }
            }
            if let hint = module.state.hint { Notice(.warning, "It does not work now.", hint: hint) }
        }
    }

    private static func requirements(of manifest: ModuleManifest) -> String {
        manifest.requires.isEmpty
            ? "nothing" : manifest.requires.map { "\($0.name) \($0.range)" }.joined(separator: ", ")
    }
}
