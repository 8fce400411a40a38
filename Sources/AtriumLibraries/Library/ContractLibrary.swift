package import AtriumKit
package import AtriumManifest
internal import Synchronization

/// A private copy of a contract's library that passed all checks of its file; none of its code has run.
package struct CheckedContract: Sendable {
    package let manifest: ContractManifest
    /// The path of the original file.
    package let source: String
    /// The checked private copy, which is the file that is opened.
    package let copy: StoredLibrary
    /// The reason why the library is trusted, in words.
    package let evidence: String
    /// A sentence about a newer library that was refused; nil if there is none.
    package var note: String?
    /// The identity of the original file; nil if it is not known.
    var identity: String?
    private let symbols = Symbols()

    package init(manifest: ContractManifest, source: String, copy: StoredLibrary, evidence: String) {
        (self.manifest, self.source, self.copy, self.evidence) = (manifest, source, copy, evidence)
    }

    package var name: String { manifest.name }
    package var version: SemanticVersion { manifest.version }
    /// The SONAME, by which modules find it.
    package var libraryName: String { manifest.libraryName }
    /// The BLAKE2b digest of the library.
    package var digest: String { copy.digest }

    var mangledName: String { "\(name.utf8.count)\(name)" }

    /// The symbols that modules can use, read once for all modules of a change.
    func definedSymbols() throws -> Set<String> {
        try symbols.names {
            Set(try ELFFile(RandomAccessFile(copy.path, copiedFrom: source)).definedSymbols())
        }
    }

    private final class Symbols: Sendable {
        private let known = Mutex<Set<String>?>(nil)

        func names(_ read: () throws -> Set<String>) rethrows -> Set<String> {
            if let names = known.withLock({ $0 }) { return names }
            let names = try read()
            known.withLock { $0 = names }
            return names
        }
    }
}

/// The manifests of contracts, valid while their files have the same identity.
///
/// Each module from a repository has its own copies; otherwise every change would read them all.
final class ContractManifests: Sendable {
    private typealias Known = (identity: String, manifest: ContractManifest)
    private let known = Mutex<[String: Known]>([:])

    func manifest(at path: String, _ identity: String) -> ContractManifest? {
        known.withLock { $0[path].flatMap { $0.identity == identity ? $0.manifest : nil } }
    }

    func note(_ contract: DiscoveredContract) {
        known.withLock { $0[contract.file.path] = (contract.file.identity, contract.manifest) }
    }
}

/// A contract whose manifest was read in its original file; nothing has been copied or checked.
package struct DiscoveredContract: Sendable {
    /// The section that holds the manifest.
    static let section = ".atrium.contract"

    let file: RandomAccessFile
    package let manifest: ContractManifest
    /// The bytes of the manifest.
    fileprivate let section: [UInt8]

    /// - Throws: ``ModuleError`` if the file is not a library with a valid `contract.json`.
    package init(_ file: RandomAccessFile) throws {
        guard let section = try ELFFile(file).section(Self.section) else {
            throw ModuleError.noContract(file.path)
        }
        do {
            manifest = try ContractManifest(json: section, file: file.path)
        } catch {
            throw ModuleError.badManifest(file.path, findings: error.sentence)
        }
        (self.file, self.section) = (file, section)
    }

    /// True if a file is a library with a contract's manifest.
    package static func isContract(_ path: String) -> Bool {
        (try? ELFFile(RandomAccessFile(path)).section(section)) != nil
    }
}

extension ModuleReader {
    /// Copies a contract's library into the private store, and checks the copy.
    ///
    /// - Throws: ``ModuleError``, also if the file changed after its manifest was read.
    func check(_ contract: DiscoveredContract) throws -> CheckedContract {
        let (manifest, file) = (contract.manifest, contract.file)
        let resolved = ResolvedPath(of: file, searchFolders: searchPaths)
        try Permissions.check(file, at: resolved)
        try Compatibility.check(
            "Contract '\(manifest.name)'", sdk: manifest.sdk, inlinedLayout: manifest.inlinedLayout,
            compiler: manifest.compiler)
        let (copy, wasKnown) = try store.copy(file)
        if !wasKnown {
            do {
                try checkCopy(copy, of: contract)
            } catch {
                // Otherwise the next check would accept it as known.
                store.forget(file)
                throw error
            }
        }
        let evidence = try evidence(
            for: manifest.name, manifest.version, contract: manifest.libraryName, copy, at: resolved.resolved,
            wasKnown: wasKnown)
        var contract = CheckedContract(
            manifest: manifest, source: file.path, copy: copy, evidence: evidence.words)
        contract.identity = file.identity
        return contract
    }

    private func checkCopy(_ copy: StoredLibrary, of contract: DiscoveredContract) throws {
        let (manifest, path) = (contract.manifest, contract.file.path)
        let copied = try ELFFile(RandomAccessFile(copy.path, copiedFrom: path))
        guard try copied.section(DiscoveredContract.section) == contract.section else {
            throw ModuleError.changedWhileRead(path)
        }
        let name = try copied.linkage().name
        guard name == manifest.libraryName else { throw ModuleError.otherLibraryName(name, manifest, path) }
        let prefix = "$s\(manifest.name.utf8.count)\(manifest.name)"
        // Only library evolution gives protocols dispatch thunks; the build adds a protocol to every contract.
        guard try copied.definedSymbols().contains(where: { $0.hasPrefix(prefix) && $0.hasSuffix("Tj") })
        else {
            throw ModuleError.noEvolution(manifest, path)
        }
        try OwnLibraries.checkKit(of: copied, "Contract '\(manifest.name)'", isContract: true)
    }
}

/// Finds the contracts of modules: in the version that the process has opened, else the newest in the folders.
///
/// One library of a SONAME serves all modules as long as the process lives, so each contract is chosen once.
package struct ContractFinder: Sendable {
    private let reader: ModuleReader
    private let folders: [String]
    private let opened: [String: CheckedContract]
    /// The choices so far, by the names of their libraries.
    private var chosen: [String: CheckedContract]

    /// `opened` are the contracts that the process has opened, by the names of their libraries.
    package init(_ reader: ModuleReader, folders: [String], opened: [String: CheckedContract]) {
        (self.reader, self.folders, self.opened) = (reader, folders, opened)
        chosen = opened
    }

    /// The contracts of a module, each after those that it needs itself.
    ///
    /// - Throws: ``ModuleError`` that names the module, the contract and what is wrong with it.
    package mutating func contracts(of module: ModuleManifest) throws -> [CheckedContract] {
        var found: [CheckedContract] = []
        for requirement in module.contracts {
            try add(requirement, for: "Module '\(module.name)'", to: &found, path: [])
        }
        return found
    }

    private mutating func add(
        _ requirement: Requirement, for owner: String, to found: inout [CheckedContract], path: [String]
    ) throws {
        let library = requirement.contractLibrary
        guard !path.contains(library) else { throw ModuleError.contractCycle(path + [library]) }
        let contract = try chosen[library] ?? newest(requirement, for: owner)
        chosen[library] = contract
        guard requirement.range.contains(contract.version) else {
            throw ModuleError.otherContract(
                requirement, contract, for: owner, isOpen: opened[library] != nil,
                later: laterVersion(for: requirement))
        }
        for needed in contract.manifest.contracts {
            try add(needed, for: "Contract '\(contract.name)'", to: &found, path: path + [library])
        }
        if !found.contains(where: { $0.libraryName == library }) { found.append(contract) }
    }

    /// Checks the newest library that passes.
    private func newest(_ requirement: Requirement, for owner: String) throws -> CheckedContract {
        var (candidates, refusals) = candidates(requirement.name, requirement.contractLibrary)
        while let candidate = candidates.first {
            do {
                var contract = try reader.check(candidate.discovered())
                contract.note = refusals.first.map { "Another library of it was refused: \($0.message)" }
                return contract
            } catch {
                refusals.append(error as? ModuleError ?? .failed(requirement.name, in: "be checked", error))
                candidates.removeFirst()
            }
        }
        guard let refusal = refusals.first else {
            throw ModuleError.noContract(requirement, for: owner, searched: folders)
        }
        throw ModuleError(
            .contractRefused,
            "\(owner) needs the contract \(requirement), which can't be used: \(refusal.message)",
            hint: refusal.hint, cause: refusal)
    }

    /// A library of a contract, which is read again only to check it.
    private struct Candidate {
        let manifest: ContractManifest
        let path: String
        var contract: DiscoveredContract?

        func discovered() throws -> DiscoveredContract {
            if let contract { return contract }
            let contract = try DiscoveredContract(RandomAccessFile(path))
            guard contract.manifest == manifest else { throw ModuleError.changedWhileRead(path) }
            return contract
        }
    }

    /// The contract's libraries of one SONAME, newest first, and the errors of those that can't be read.
    ///
    /// A file with the identity `known` is not read.
    private func candidates(
        _ name: String, _ library: String, besides known: String? = nil
    ) -> ([Candidate], [ModuleError]) {
        var found: [Candidate] = []
        var errors: [ModuleError] = []
        for path in folders.flatMap({ ["\($0)/\(library)", "\($0)/lib\(name).so"] }) {
            guard let identity = FileSystem.identity(of: path), identity != known else { continue }
            do {
                var candidate = reader.contracts.manifest(at: path, identity).map {
                    Candidate(manifest: $0, path: path)
                }
                if candidate == nil {
                    let contract = try DiscoveredContract(RandomAccessFile(path))
                    reader.contracts.note(contract)
                    candidate = Candidate(manifest: contract.manifest, path: path, contract: contract)
                }
                // Another major version is a contract of its own.
                if let candidate, candidate.manifest.libraryName == library { found.append(candidate) }
            } catch {
                errors.append(error as? ModuleError ?? .failed(name, in: "be read", error))
            }
        }
        return (found.sorted { $0.manifest.version > $1.manifest.version }, errors)
    }

    /// The version in the folders that fits from the next start on, while the process has opened one that does
    /// not; nil if there is none.
    package func laterVersion(for requirement: Requirement) -> SemanticVersion? {
        guard let open = opened[requirement.contractLibrary], !requirement.range.contains(open.version)
        else { return nil }
        let newest = candidates(requirement.name, open.libraryName).0.first?.manifest.version
        return newest.flatMap { requirement.range.contains($0) ? $0 : nil }
    }

    /// The version that a contract will have from the next start on; nil if it stays the same.
    package func nextVersion(of contract: CheckedContract) -> SemanticVersion? {
        newer(contract)?.manifest.version
    }

    /// The library of a contract from the next start on, after the checks of that start; nil if it stays the same.
    package func next(of contract: CheckedContract) -> Result<CheckedContract, any Error>? {
        newer(contract).map { candidate in Result { try reader.check(candidate.discovered()) } }
    }

    private func newer(_ contract: CheckedContract) -> Candidate? {
        candidates(contract.name, contract.libraryName, besides: contract.identity).0.first.flatMap {
            $0.manifest.version > contract.version ? $0 : nil
        }
    }
}

extension ModuleError {
    fileprivate static func noContract(_ path: String) -> ModuleError {
        ModuleError(
            "noManifest", "'\(path)' has no contract.json in it, so it is not a contract.",
            hint: "Add the build plugin EmbedManifest to its target, and a contract.json.")
    }

    fileprivate static func noContract(
        _ requirement: Requirement, for owner: String, searched: [String]
    ) -> ModuleError {
        let folders = searched.map { "'\($0)'" }.joined(separator: ", ")
        return ModuleError(
            .contractMissing,
            "\(owner) needs the contract \(requirement), and there is no '\(requirement.contractLibrary)' or "
                + "'lib\(requirement.name).so' in \(folders).",
            hint: "Put the contract's library beside the module's, in its repository or a search path.")
    }

    fileprivate static func otherContract(
        _ requirement: Requirement, _ contract: CheckedContract, for owner: String, isOpen: Bool,
        later: SemanticVersion?
    ) -> ModuleError {
        let present = isOpen ? "this host has opened" : "'\(contract.source)' has"
        let next = later.map { "; \($0) counts from the next start" } ?? ""
        return ModuleError(
            later == nil ? .contractMissing : .contractLater,
            "\(owner) needs the contract \(requirement), and \(present) \(contract.version)\(next).",
            hint: later == nil
                ? "Bring a version of \(contract.name) that fits, beside the module's library or in a search path."
                : nextStart)
    }

    fileprivate static func contractCycle(_ path: [String]) -> ModuleError {
        ModuleError(
            "requirementCycle", "Contracts need each other: \(path.joined(separator: " → ")).",
            hint: "Remove one of these requirements from its contract.json.")
    }

    fileprivate static func otherLibraryName(
        _ name: String?, _ manifest: ContractManifest, _ path: String
    ) -> ModuleError {
        ModuleError(
            .incompatible,
            "'\(path)' holds contract '\(manifest.name)' \(manifest.version), but "
                + (name.map { "its SONAME is '\($0)'." } ?? "it has no SONAME."),
            hint: "In Package.swift, link it with: -Xlinker -soname=\(manifest.libraryName)")
    }

    fileprivate static func noEvolution(_ manifest: ContractManifest, _ path: String) -> ModuleError {
        ModuleError(
            .incompatible,
            "'\(path)' was not built with library evolution as the Swift module '\(manifest.name)', so modules "
                + "built on another version of it would misread its types.",
            hint: "In Package.swift, add the Swift setting: -enable-library-evolution")
    }
}

extension ErrorCode {
    package static let contractMissing: ErrorCode = "contractMissing"
    /// A contract's library was found and refused.
    package static let contractRefused: ErrorCode = "contractRefused"
    package static let contractLater: ErrorCode = "contractLater"
}
