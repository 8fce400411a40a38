internal import AtriumLibraries
internal import AtriumManifest

/// Tries libraries that are new to this host in a child process of the executable, before loading them.
///
/// One child loads all of them. A crash or hang is attributed to the module whose step it was, and another
/// child tries the rest. Verdicts are stored by the library's digest.
@MainActor
package final class Preflight {
    private let executable: String
    private let store: VerdictStore
    private let limit: Duration
    private let copySample: SampleCopier?
    /// The digests of libraries that passed; refusals are read from the store, as they expire.
    private var passed: Set<String> = []
    /// The source paths of modules that took too long; no verdict on them is stored.
    private var overdue: [String: String] = [:]

    /// Copies a sample of the data of a module, the first argument, into a folder; called off the main actor.
    package typealias SampleCopier = @Sendable (String, String) throws -> Void

    /// - Parameters:
    ///   - executable: The host executable, which has the option `--preflight FOLDER`.
    ///   - folder: The folder of stored verdicts.
    ///   - limit: The time limit for one step of one module.
    ///   - copySample: Copies a sample of a module's data to try its migrations on; nil without data.
    package init(
        executable: String, folder: String, limit: Duration = .seconds(5), copySample: SampleCopier? = nil
    ) {
        self.executable = executable
        self.copySample = copySample
        self.limit = limit
        store = VerdictStore(folder: folder, executable: executable)
    }

    /// The result of trying a library; nil if it is new to this host.
    func verdict(of library: CheckedLibrary) -> Verdict? {
        if passed.contains(library.digest) { return .passed }
        let verdict = store.verdict(on: library.digest)
        if case .passed? = verdict { passed.insert(library.digest) }
        return verdict
    }

    /// Forgets the refusals of a module's libraries, so that they are tried again.
    ///
    /// - Returns: The source paths of those libraries.
    func forgetRefusals(of module: String) -> [String] {
        let refusals = store.refusals(of: module)
        for (digest, _) in refusals { store.remove(digest) }
        return refusals.map(\.source) + [overdue.removeValue(forKey: module)].compactMap(\.self)
    }

    /// Tries libraries, and stores a verdict on each that passed or did harm.
    ///
    /// A faulty registration may be fixed elsewhere, in modules.json or in another module, and a step may
    /// take long because the machine is busy: those verdicts are not stored. If one of several did harm and
    /// the culprit is unknown, each is tried alone.
    ///
    /// - Parameters:
    ///   - libraries: All loaded libraries, in order.
    ///   - new: The libraries to try.
    ///   - configuration: The modules' configuration.
    ///   - limits: The limits of the modules' repositories.
    ///   - keepsVerdicts: Whether verdicts are stored; false when trying another configuration.
    ///   - loadsScreens: Whether the screens of the new libraries are loaded too, with mock services.
    /// - Returns: The reasons why modules are refused.
    /// - Throws: ``ModuleError`` if the child can't be run, and `CancellationError`; no verdict then.
    func run(
        _ libraries: [CheckedLibrary], new: [CheckedLibrary], configuration: [String: ConfiguredValues],
        limits: [String: RepositoryLimit], keepsVerdicts: Bool = true, loadsScreens: Bool = false
    ) async throws -> [String: ModuleError] {
        var refusals: [String: ModuleError] = [:]
        for library in new {
            refusals[library.name] = mismatch(of: library, configuration[library.name])
        }
        var groups = [new]
        while var group = groups.popLast() {
            group.removeAll { refusals[$0.name] != nil }
            guard !group.isEmpty else { continue }
            try Task.checkCancellation()
            let idle = Self.idle(new, besides: group)
            let modules = libraries.filter { refusals[$0.name] == nil && !idle.contains($0.name) }.map {
                library in
                PreflightModule(
                    name: library.name, library: library.copy.path, digest: library.digest,
                    source: library.source, isNew: group.contains { $0.name == library.name },
                    contracts: library.contracts.map(PreflightContract.init),
                    configuration: ManifestValue.object(configuration[library.name]?.members ?? []).json,
                    limit: limits[library.name], loadsScreens: loadsScreens)
            }
            let run = PreflightRun(modules, executable: executable, limit: limit, copySample: copySample)
            try await run.run()
            for library in group {
                guard let error = run.refusals[library.name] else { continue }
                refusals[library.name] = error
                if error.isHarm, keepsVerdicts { refuse(library, error) }
                if error.code == .hangs, keepsVerdicts { overdue[library.name] = library.source }
            }
            if run.isUnattributed {
                groups += group.reversed().map { [$0] }
            } else if run.isComplete || group.allSatisfy({ refusals[$0.name] == nil }) {
                // If none of them was refused, none of the new modules caused an early end.
                for library in group where refusals[library.name] == nil { pass(library) }
            } else {
                groups.append(group)
            }
        }
        return refusals
    }

    /// The new libraries that a preflight can leave out, as they are neither tried nor required.
    private static func idle(_ new: [CheckedLibrary], besides group: [CheckedLibrary]) -> Set<String> {
        var needed: Set<String> = []
        func require(_ name: String) {
            guard needed.insert(name).inserted else { return }
            for requirement in new.first(where: { $0.name == name })?.manifest.requires ?? [] {
                require(requirement.name)
            }
        }
        for library in group { require(library.name) }
        return Set(new.map(\.name)).subtracting(needed)
    }

    /// The reason why a library can't be opened by this host; nil if it has to be tried.
    private func mismatch(of library: CheckedLibrary, _ configured: ConfiguredValues?) -> ModuleError? {
        do {
            _ = try ModuleConfiguration.merge(
                configured ?? ConfiguredValues(file: []), into: library.manifest)
            let file = try ELFFile(RandomAccessFile(library.copy.path, copiedFrom: library.source))
            let (owner, contracts) = ("Module '\(library.name)'", library.contracts)
            try OwnLibraries.check(file, owner, at: library.source, contracts: contracts)
            try Compatibility.checkSymbols(of: file, owner, contracts)
            for contract in contracts where !passed.contains(Self.key(of: contract, contracts)) {
                let file = try ELFFile(RandomAccessFile(contract.copy.path, copiedFrom: contract.source))
                let owner = "Contract '\(contract.name)'"
                try OwnLibraries.check(file, owner, at: contract.source, contracts: contracts)
                try Compatibility.checkSymbols(of: file, owner, contracts)
                passed.insert(Self.key(of: contract, contracts))
            }
            return nil
        } catch {
            return error as? ModuleError ?? .failed(library.name, in: "load", error)
        }
    }

    /// The digests of a contract and of those that it needs: modules of one change share them.
    private static func key(of contract: CheckedContract, _ contracts: [CheckedContract]) -> String {
        let needed = contract.manifest.contracts.map(\.contractLibrary)
        return ([contract] + contracts.filter { needed.contains($0.libraryName) }).map(\.digest)
            .joined(separator: " ")
    }

    private func pass(_ library: CheckedLibrary) {
        passed.insert(library.digest)
        store.storePass(of: library.digest)
    }

    private func refuse(_ library: CheckedLibrary, _ error: ModuleError) {
        let memory = PreflightChild.memoryLimit >> 30
        store.store(error, on: library, limits: "\(limit.inSeconds) a step and \(memory) GB of memory")
    }
}
