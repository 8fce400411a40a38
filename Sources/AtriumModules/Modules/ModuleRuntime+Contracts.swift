package import AtriumLibraries
internal import AtriumManifest
internal import AtriumRepositories

/// The contracts that modules are built on: found and checked with each change, opened before the first module
/// that needs them, and never closed.
extension ModuleRuntime {
    /// Finds contracts in the search folders and beside the libraries of all modules, and of those at `sources`.
    func contractFinder(_ sources: [String] = []) -> ContractFinder {
        ContractFinder(
            reader, folders: contractFolders(modules.compactMap(\.path) + sources), opened: contracts)
    }

    /// The search folders, those of the libraries at `paths`, and those of contracts that came with these.
    func contractFolders(_ paths: [String]) -> [String] {
        var folders = reader.searchPaths
        var known = Set(folders)
        for path in paths {
            let found = [FileSystem.folder(of: path), Repositories.contractFolder(of: path)]
            for folder in found.compactMap(\.self) where known.insert(folder).inserted {
                folders.append(folder)
            }
        }
        return folders
    }

    /// Finds and checks the contracts with which a new host would load a library, whatever this one has opened.
    package func newestContracts(of library: CheckedLibrary) async throws -> [CheckedContract] {
        guard !library.manifest.contracts.isEmpty else { return [] }
        let folders = contractFolders([library.source] + modules.compactMap(\.path))
        return try await reader.inBackground { reader in
            var finder = ContractFinder(reader, folders: folders, opened: [:])
            return try finder.contracts(of: library.manifest)
        }
    }

    /// Finds and checks the contracts of the libraries that a change loads or installs; opens none.
    ///
    /// - Throws: ``ModuleError``, except at start-up: there the modules are left out.
    func findContracts(of change: inout ResolvedChange) async throws {
        guard opensLibraries else { return }
        let arriving = change.arrivals.compactMap(\.library)
        let users = (arriving + change.settled.map(\.library)).filter { !$0.manifest.contracts.isEmpty }
        guard !users.isEmpty else { return }
        let finder = contractFinder(users.map(\.source))
        let areOpen = users.allSatisfy {
            $0.manifest.contracts.allSatisfy { contracts[$0.contractLibrary] != nil }
        }
        // A first start has nothing else to do than to copy them.
        let found =
            areOpen || change.request.cause == .startUp
            ? Self.contracts(of: users, finder)
            : try await reader.inBackground { _ in Self.contracts(of: users, finder) }
        var failures: [(module: Module, error: any Error)] = []
        for arrival in change.arrivals {
            guard var library = arrival.library, let result = found[library.name] else { continue }
            do {
                library.contracts = try result.get()
                change.setLibrary(library, of: arrival.module)
            } catch {
                failures.append((arrival.module, error))
            }
        }
        try change.leaveOut(failures)
        for (_, library) in change.settled where change.request.cause != .startUp {
            guard case .failure(let error)? = found[library.name] else { continue }
            // It waits for the next start, by the plan.
            guard (error as? ModuleError)?.code == .contractLater else { throw error }
        }
    }

    private nonisolated static func contracts(
        of libraries: [CheckedLibrary], _ finder: ContractFinder
    ) -> [String: Result<[CheckedContract], any Error>] {
        var finder = finder
        var found: [String: Result<[CheckedContract], any Error>] = [:]
        for library in libraries {
            found[library.name] = Result { try finder.contracts(of: library.manifest) }
        }
        return found
    }

    func openContracts(of library: CheckedLibrary) throws {
        for contract in library.contracts where contracts[contract.libraryName] == nil {
            try DynamicLibrary.open(contract)
            contracts[contract.libraryName] = contract
        }
    }

    /// The reasons why modules have to wait for the next start: contracts in a newer version than the open one.
    func waitingForContracts(_ manifests: [ModuleManifest], _ sources: [String]) -> [String: String] {
        guard !contracts.isEmpty else { return [:] }
        var reasons: [String: String] = [:]
        lazy var finder = contractFinder(sources)
        for manifest in manifests {
            for contract in manifest.contracts {
                guard let open = contracts[contract.contractLibrary], !contract.range.contains(open.version),
                    let later = finder.laterVersion(for: contract)
                else { continue }
                reasons[manifest.name] =
                    "it needs the contract \(contract), and this host has opened \(open.version); \(later) "
                    + "counts from the next start."
            }
        }
        return reasons
    }

    /// The open contracts of which there are newer versions, which count from the next start.
    func laterContracts(_ sources: [String] = []) -> [ChangePlan.Contract] {
        guard !contracts.isEmpty else { return [] }
        let finder = contractFinder(sources)
        return openContracts.compactMap { contract in
            finder.nextVersion(of: contract).map {
                let users = users(of: contract.libraryName)
                return ChangePlan.Contract(
                    name: contract.name, from: "\(contract.version)", to: "\($0)", modules: users.map(\.name),
                    problems: problems(finder, contract, users))
            }
        }
    }

    /// Sentences about modules that would not start with the next version of a contract.
    private func problems(
        _ finder: ContractFinder, _ contract: CheckedContract, _ users: [Module]
    ) -> [String] {
        do {
            guard let next = try finder.next(of: contract)?.get() else { return [] }
            return users.compactMap { user in
                guard let library = user.current?.library else { return nil }
                let requirement = library.manifest.contracts.first { $0.contractLibrary == next.libraryName }
                if let requirement, !requirement.range.contains(next.version) {
                    return "\(user.name) \(library.version) would not start then: It needs the contract "
                        + "\(requirement)."
                }
                do {
                    let file = try ELFFile(RandomAccessFile(library.copy.path, copiedFrom: library.source))
                    try Compatibility.checkSymbols(of: file, "It", [next])
                    return nil
                } catch {
                    return "\(user.name) \(library.version) would not start then: "
                        + ModuleError.message(of: error)
                }
            }
        } catch {
            return ["It would be refused then: \(ModuleError.message(of: error))"]
        }
    }

    /// The contracts that a change opens, then those of which newer versions count from the next start.
    func plannedContracts(of change: ResolvedChange) -> [ChangePlan.Contract] {
        var opening: [ChangePlan.Contract] = []
        for library in change.arrivals.compactMap(\.library) {
            for contract in library.contracts where contracts[contract.libraryName] == nil {
                let step = ChangePlan.Contract(
                    name: contract.name, from: nil, to: "\(contract.version)", modules: [library.name])
                if let index = opening.firstIndex(where: { $0.name == step.name && $0.to == step.to }) {
                    opening[index].modules.append(library.name)
                } else {
                    opening.append(step)
                }
            }
        }
        let isByCommand = ![.startUp, .onDemand].contains(change.request.cause)
        let sources = (change.arrivals.compactMap(\.library) + change.settled.map(\.library)).map(\.source)
        return opening + (isByCommand ? laterContracts(sources) : [])
    }

    /// The open contracts, sorted.
    package var openContracts: [CheckedContract] {
        contracts.values.sorted { $0.libraryName < $1.libraryName }
    }

    /// The modules that are built on a contract, by the name of its library.
    private func users(of library: String) -> [Module] {
        modules.filter { $0.manifest?.contracts.contains { $0.contractLibrary == library } == true }
    }

    /// The error about a contract that is taken for a module; nil for any other name.
    package func isContract(_ name: String) -> ModuleError? {
        let users = modules.filter { $0.manifest?.contracts.contains { $0.name == name } == true }.map(\.name)
        guard let first = users.first else { return nil }
        let built = users.count == 1 ? "\(first) is" : "\(users.joined(separator: ", ")) are"
        return ModuleError(
            .unknownModule,
            "'\(name)' is a contract, no module: \(built) built on it, and once opened it stays in the host.",
            hint: "module \(first)")
    }
}

package struct ContractUse: Sendable {
    package let name: String
    package let range: String
    /// The version that this host has opened; nil if it has opened none.
    package let version: String?
    package let library: String?
    package let digest: String?
    package let trust: String?
    /// True if the open version fits.
    package let isSatisfied: Bool
    /// The version that counts from the next start; nil if that is the open one.
    package let later: String?
    /// The reasons why the module would not start with that version.
    let problems: [String]
    let note: String?

    /// The command after which that version counts; nil if the module does not run, or would not start with it.
    package var laterHint: String? { isSatisfied && problems.isEmpty ? "exit --restart" : nil }

    /// A sentence about the version that counts from the next start.
    package var laterNote: String? {
        later.map {
            (["The contract \(name) \($0) counts from the next start."] + problems).joined(separator: " ")
        }
    }
}

extension ModuleRuntime {
    /// The contracts of a module, in the order of its manifest.
    package func contracts(of module: Module) -> [ContractUse] {
        guard let requirements = module.manifest?.contracts, !requirements.isEmpty else { return [] }
        let finder = contractFinder()
        return requirements.map { requirement in
            let open = contracts[requirement.contractLibrary]
            return ContractUse(
                name: requirement.name, range: "\(requirement.range)", version: open.map { "\($0.version)" },
                library: open?.source, digest: open?.digest, trust: open?.evidence,
                isSatisfied: open.map { requirement.range.contains($0.version) } ?? false,
                later: open.flatMap(finder.nextVersion).map { "\($0)" },
                problems: open.map { problems(finder, $0, [module]) } ?? [], note: open?.note)
        }
    }
}

extension Module {
    /// What can be done about a module that does not run; nil if it runs.
    package func hint(_ contracts: [ContractUse]) -> String? {
        if case .waiting = state, contracts.contains(where: { !$0.isSatisfied && $0.later != nil }) {
            return ModuleError.nextStart
        }
        return state.hint(for: name)
    }
}

// MARK: - Two major versions

extension ModuleManifest {
    /// A sentence about a contract of which a module, and another one that it requires or uses, have different
    /// major versions, so that neither finds what the other registers with its types; nil if there is none.
    func otherMajor(than owner: ModuleManifest) -> String? {
        guard let other = others.first(where: { $0.name == owner.name }), other.range.contains(owner.version)
        else { return nil }
        for contract in contracts {
            guard let theirs = owner.contracts.first(where: { $0.name == contract.name }),
                theirs.contractLibrary != contract.contractLibrary
            else { continue }
            return
                "\(name) \(version) finds no types of \(contract.name) in \(owner.name) \(owner.version), which it "
                + (requires.contains(other) ? "requires" : "uses")
                + ": \(name) is built on \(contract), \(owner.name) on \(theirs)."
        }
        return nil
    }
}

extension ModuleRuntime {
    /// Sentences about active modules with different major versions of one contract.
    var differentMajors: [String] {
        let active = modules.filter { $0.current != nil }.compactMap(\.manifest)
        return active.flatMap { user in active.compactMap(user.otherMajor) }
    }

    /// Sentences about running modules that lose what an update registers with the types of a contract.
    func lostMajors(by update: CheckedLibrary, in request: ChangeRequest) -> [String] {
        let former = module(update.name)?.manifest
        return modules.compactMap { user in
            let next = request.updates.first { $0.name == user.name }?.manifest ?? user.manifest
            guard user.current != nil, !request.removals.contains(user.name),
                former.flatMap({ user.manifest?.otherMajor(than: $0) }) == nil
            else { return nil }
            return next?.otherMajor(than: update.manifest)
        }
    }
}
