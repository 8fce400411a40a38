internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// The state of a module, with its reasons.
package struct ModuleExplanation: Sendable {
    package let name: String
    package let state: String
    /// The reasons, the most important first.
    package internal(set) var sentences: [String] = []
    /// The modules that it requires, with their installed versions.
    package internal(set) var requirements: [Required] = []
    /// The modules that it uses where they are there.
    package internal(set) var uses: [ModuleUse] = []
    /// The modules that use it where it is there.
    package internal(set) var users: [String] = []
    /// The modules that require it.
    package internal(set) var dependents: [String] = []
    /// Libraries that contain the module, in search order.
    package internal(set) var libraries: [Library] = []
    /// A next step, as a command or a sentence.
    package internal(set) var hint: String?

    /// A required module, with its installed version.
    package struct Required: Sendable {
        package let module: String
        package let range: String
        /// The installed version; nil if there is none.
        package let version: String?
        package let state: String
        package let isSatisfied: Bool
    }

    /// A library that contains the module.
    package struct Library: Sendable {
        package let path: String
        package let version: String?
        /// True if it is chosen, with the reason.
        package let verdict: String
    }
}

extension ModuleRuntime {
    /// Explains the state of a module.
    ///
    /// - Throws: ``ModuleError`` if there is no module of that name.
    package func explain(_ name: String) throws -> ModuleExplanation {
        guard let module = module(name) else {
            if let removal = removal(of: name) { throw removal }
            let refusal = journal.events().last { $0.module == name && $0.kind == "refused" }?.detail
            throw refusal.map {
                ModuleError(
                    .unknownModule,
                    "There is no module '\(name)'; the last attempt to add it failed: \($0)",
                    hint: "events \(name)")
            } ?? .unknown(name, known: modules.map(\.name))
        }
        var explanation = ModuleExplanation(name: name, state: module.state.name)
        let contracts = contracts(of: module)
        explanation.sentences = [why(module)] + origin(of: module, contracts)
        explanation.hint = module.hint(contracts)
        explanation.requirements = (module.manifest?.requires.map(required) ?? []) + contracts.map(required)
        explanation.dependents = modules.filter { other in
            other.manifest?.requires.contains { $0.name == name } == true
        }.map(\.name)
        explanation.uses = uses(of: module)
        for use in explanation.uses {
            explanation.sentences += [use.note, use.absence(of: name)].compactMap(\.self)
        }
        if module.current != nil, let manifest = module.manifest {
            explanation.sentences += modules.filter { $0.current != nil }.compactMap(\.manifest).compactMap(
                manifest.otherMajor)
        }
        explanation.users = modules.filter { other in
            other.manifest?.uses.contains { $0.name == name } == true
        }.map(\.name)
        explanation.libraries = libraries(of: module)
        return explanation
    }

    private func why(_ module: Module) -> String {
        switch module.state {
        case .active:
            let generation = module.current?.number ?? 1
            let version = module.manifest.map { "\($0.version)" } ?? "?"
            let ordinal = generation == 1 ? "" : ", generation \(generation) in this host"
            return "It is active, version \(version)\(ordinal): its requirements are met, and it started."
        case .resolved:
            return "It is loaded on demand: when one of its links, or a type that it provides, is first used."
        case .waiting(let reason): return "It waits: \(reason)"
        case .failed(let error): return "It failed: \(error.message)"
        case .quarantined(let reason): return "It is quarantined: \(reason)"
        case .leftOut(let reason): return "It is stopped: \(reason)"
        case .discovered, .starting, .stopping, .stopped: return "It is \(module.state.name)."
        }
    }

    private func origin(of module: Module, _ contracts: [ContractUse]) -> [String] {
        var sentences: [String] = []
        if let library = module.current?.library, let refusal = module.refusal {
            let build = words(forBuild: library)
            sentences.append("It runs \(build): the library at its path was refused. \(refusal.message)")
        } else if let library = module.current?.library, library.digest == module.rolledBack?.digest {
            let build = words(forBuild: library)
            sentences.append(
                "It was rolled back to \(build); 'module update \(module.name)' takes the library at its path."
            )
        }
        switch module.origin {
        case .configured: sentences.append("modules.json names it.")
        case .added: sentences.append("It was added with 'module add'.")
        }
        if let library = module.current?.library ?? module.library {
            sentences.append("Trust: \(library.evidence).")
            if let note = library.pathNote { sentences.append(note) }
        }
        sentences += contracts.flatMap { contract -> [String] in
            guard let version = contract.version, let library = contract.library else { return [] }
            let opened = "The contract \(contract.name) \(version) was opened from '\(library)'; trust: "
            let sentences = [opened + "\(contract.trust ?? "-").", contract.laterNote, contract.note]
            return sentences.compactMap(\.self)
        }
        for build in builds(of: module.name) where build.digest != module.digest {
            let other = build.digest == module.previous?.digest ? "" : " \(build.digest.prefix(8))"
            sentences.append(
                "'module rollback \(module.name)\(other)' returns to \(build.version), \(build.words).")
        }
        return sentences
    }

    private func required(_ requirement: Requirement) -> ModuleExplanation.Required {
        let provider = module(requirement.name)
        let version = provider?.manifest?.version
        return ModuleExplanation.Required(
            module: requirement.name, range: "\(requirement.range)", version: version.map { "\($0)" },
            state: provider?.state.name ?? "not installed",
            isSatisfied: (version.map { requirement.range.contains($0) } ?? false)
                && provider?.state.isAvailable == true)
    }

    private func required(_ contract: ContractUse) -> ModuleExplanation.Required {
        ModuleExplanation.Required(
            module: contract.name, range: contract.range, version: contract.version,
            state: contract.version == nil ? "contract, not open" : "contract, open",
            isSatisfied: contract.isSatisfied)
    }

    /// The libraries that may be the module's: the one at its path, or those in the search folders.
    private func libraries(of module: Module) -> [ModuleExplanation.Library] {
        if let path = module.configured.path {
            let reason =
                module.origin == .added ? "chosen: it was added" : "chosen: modules.json gives its path"
            return [library(path, reason)]
        }
        let paths = reader.searchPaths.map { "\($0)/lib\(module.name).so" }.filter(FileSystem.exists)
        return paths.enumerated().map { index, path in
            library(
                path,
                index == 0 ? "chosen: its folder is searched first" : "not chosen: an earlier folder has one")
        }
    }

    private func library(_ path: String, _ verdict: String) -> ModuleExplanation.Library {
        let version = (try? DiscoveredLibrary(RandomAccessFile(path)))?.manifest.version
        return ModuleExplanation.Library(path: path, version: version.map { "\($0)" }, verdict: verdict)
    }
}
