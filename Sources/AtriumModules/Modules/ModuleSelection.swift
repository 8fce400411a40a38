@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// The modules that a start of the host may load; the others stay stopped until the user starts them.
package enum ModuleSelection: Sendable, Hashable {
    case all
    /// No modules; none of their files is read.
    case none
    /// These modules, and those that they require.
    case only([String])
    /// All modules except these and those that require them.
    case without([String])

    /// The command-line option for the selection.
    private var option: String {
        switch self {
        case .all: ""
        case .none: "--safe"
        case .only: "--only"
        case .without: "--without"
        }
    }

    /// The option with its names, as a user types it; `all modules` without one.
    package var text: String {
        self == .all ? "all modules" : names.isEmpty ? option : "\(option) \(names.joined(separator: ","))"
    }

    /// The state of a module that is left out.
    fileprivate var state: ModuleState { .leftOut("it is left out of this start by \(option).") }

    fileprivate var names: [String] {
        switch self {
        case .all, .none: []
        case .only(let names), .without(let names): names
        }
    }
}

extension ModuleRuntime {
    /// Checks that the modules of a selection are known.
    ///
    /// - Throws: ``ConfigurationError`` that names the first unknown module.
    package func check(_ selection: ModuleSelection) throws {
        for name in selection.names where module(name) == nil {
            let error = ModuleError.unknown(name, known: modules.map(\.name))
            let known = modules.map(\.name).joined(separator: ", ")
            throw ConfigurationError(
                code: error.code, message: error.message,
                hint: NearestName.of(name, among: modules.map(\.name)) == nil
                    ? "The modules are \(known)." : error.hint,
                cause: nil)
        }
    }

    /// Leaves modules out of the start, once their manifests have been read.
    func leaveOut(by selection: ModuleSelection) {
        let chosen: Set<String>
        switch selection {
        case .all: return
        case .none: chosen = []
        case .only(let names): chosen = closure(of: names) { self.module($0)?.requiredNames ?? [] }
        case .without(let names):
            let leaving = closure(of: names) { name in
                self.modules.filter { $0.requiredNames.contains(name) }.map(\.name)
            }
            chosen = Set(modules.map(\.name)).subtracting(leaving)
        }
        for module in modules where !chosen.contains(module.name) { module.state = selection.state }
    }

    /// The modules to start so that a left-out one can start: itself and those that it requires.
    ///
    /// - Throws: ``ModuleError`` if a manifest can't be read.
    func namesToStart(_ module: Module) throws -> [String] {
        var names: [String] = []
        var open = [module]
        while let module = open.popLast() {
            guard !names.contains(module.name) else { continue }
            names.append(module.name)
            if module.manifest == nil { module.discovered = try discover(module) }
            open += module.requiredNames.compactMap { self.module($0) }.filter(\.isLeftOut)
        }
        return names
    }

    /// The names, and all that follow from them directly or through others.
    private func closure(of names: [String], _ next: (String) -> [String]) -> Set<String> {
        var found: Set<String> = []
        var open = names
        while let name = open.popLast() {
            if found.insert(name).inserted { open += next(name) }
        }
        return found
    }
}

extension Module {
    fileprivate var requiredNames: [String] { manifest?.requires.map(\.name) ?? [] }
}
