@_spi(Host) package import AtriumKit
internal import AtriumManifest

extension ModuleRuntime {
    /// What keeps modules from working, for a person who starts the host.
    package var problems: [any ExplainedError] {
        modules.filter { !$0.state.isAvailable }.map { ModuleError.notActive($0.name, state: $0.state) }
    }

    /// Who would provide the type called `name`, where a module that is not active declares it.
    package func absence(of name: String) -> Container.MissingProvider? {
        guard
            let module = modules.first(where: {
                !$0.state.isActive && $0.manifest?.provides.contains(name) == true
            })
        else { return nil }
        return Container.MissingProvider(
            message: "module '\(module.name)' would, but it is \(module.state.name)",
            hint: "why \(module.name)")
    }

    /// The module that is loaded when a link of its is first wanted, where it was not yet; `fits` answers whether
    /// a declared pattern fits the link.
    package func moduleOnDemand(fits: (String) -> Bool) -> Module? {
        modules.first { $0.isOnDemand && $0.manifest?.screens.contains { fits($0.pattern) } == true }
    }

    /// Why a link can't be opened, where a module that is not active has it; nil where none has.
    ///
    /// A module whose manifest could not be read is taken to have the links that begin with its name.
    ///
    /// - Parameters:
    ///   - link: The segments of the link.
    ///   - fits: Answers whether a declared pattern fits the link.
    /// - Returns: An error that names the module and its reason.
    package func reasonAgainst(_ link: [String], fits: (String) -> Bool) -> ModuleError? {
        for module in modules where !module.state.isActive {
            let hasLink =
                module.manifest.map { $0.screens.contains { fits($0.pattern) } }
                ?? (module.name.lowercased() == link.first?.lowercased())
            if hasLink { return .notActive(module.name, state: module.state) }
        }
        return nil
    }
}
