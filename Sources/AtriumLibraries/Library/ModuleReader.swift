package import AtriumManifest
internal import AtriumStorage

/// A library whose manifest was read in its original file; nothing has been copied or checked.
package struct DiscoveredLibrary: Sendable {
    let file: RandomAccessFile
    package let manifest: ModuleManifest
    /// The bytes of the manifest.
    fileprivate let section: [UInt8]
    /// The time that it took to read the manifest.
    fileprivate let reading: Duration

    /// - Throws: ``ModuleError`` if the file is not a library with a valid manifest.
    package init(_ file: RandomAccessFile) throws {
        let start = ContinuousClock.now
        guard let section = try ELFFile(file).section(ModuleLibraries.section) else {
            throw ModuleError.noManifest(file.path)
        }
        do {
            manifest = try ModuleManifest(json: section, file: file.path)
        } catch {
            throw ModuleError.badManifest(file.path, findings: error.sentence)
        }
        (self.file, self.section) = (file, section)
        reading = start.duration(to: .now)
    }
}

/// A private copy of a module library that passed all checks of its file; none of its code has run.
package struct CheckedLibrary: Sendable {
    package let manifest: ModuleManifest
    /// The path of the original file.
    package let source: String
    /// The checked private copy, which is the file that is opened.
    package let copy: StoredLibrary
    /// The reason why the library is trusted, in words.
    package let evidence: String
    /// The key of its signature; nil unless the trust policy requires one.
    package let signer: String?
    /// Anything unusual about its path, in words, such as a symbolic link; nil if nothing is.
    package var pathNote: String?
    /// Changes whenever the file at ``source`` is replaced or written to; empty for a build from the store.
    package let identity: String
    /// The contracts that it is built on, in the order in which they are opened before it.
    package var contracts: [CheckedContract] = []
    /// The time that it took to read, copy and check it.
    package fileprivate(set) var reading = Duration.zero

    package init(
        manifest: ModuleManifest, source: String, copy: StoredLibrary, evidence: String,
        signer: String? = nil, pathNote: String? = nil, identity: String
    ) {
        (self.manifest, self.source, self.copy) = (manifest, source, copy)
        (self.evidence, self.signer) = (evidence, signer)
        (self.pathNote, self.identity) = (pathNote, identity)
    }

    package var name: String { manifest.name }
    package var version: SemanticVersion { manifest.version }
    /// The BLAKE2b digest of the library.
    package var digest: String { copy.digest }
}

/// Finds module libraries, reads their manifests, and checks whether they may be loaded; runs no module code.
package struct ModuleReader: Sendable {
    package let searchPaths: [String]
    package let store: ModuleStore
    /// The manifests of the contracts that were found so far.
    let contracts = ContractManifests()
    /// The required proof of a library; nil accepts every library.
    package var trust: TrustPolicy?

    package init(searchPaths: [String], store: ModuleStore, trust: TrustPolicy? = nil) {
        (self.searchPaths, self.store, self.trust) = (searchPaths, store, trust)
    }

    /// Returns the path of a module's library: `path`, or in the first search folder that has it.
    package func locate(_ name: String, path: String?) throws -> String {
        if let path { return path }
        let file = "lib\(name).so"
        guard let folder = searchPaths.first(where: { FileSystem.exists("\($0)/\(file)") }) else {
            throw ModuleError.notFound(name, searched: searchPaths)
        }
        return "\(folder)/\(file)"
    }

    /// Copies a library into the private store, and checks the copy.
    ///
    /// - Throws: ``ModuleError``, also if the file changed after its manifest was read.
    func check(_ discovered: DiscoveredLibrary) throws -> CheckedLibrary {
        let start = ContinuousClock.now
        let path = discovered.file.path
        let resolved = ResolvedPath(of: discovered.file, searchFolders: searchPaths)
        try Permissions.check(discovered.file, at: resolved)
        try Compatibility.check(discovered.manifest)
        let (copy, wasKnown) = try store.copy(discovered.file)
        if !wasKnown {
            do {
                try checkCopy(copy, of: discovered, path)
            } catch {
                // Otherwise the next check would accept it as known.
                store.forget(discovered.file)
                throw error
            }
        }
        let evidence = try evidence(
            for: discovered.manifest.name, discovered.manifest.version, copy, at: resolved.resolved,
            wasKnown: wasKnown)
        var library = CheckedLibrary(
            manifest: discovered.manifest, source: path, copy: copy, evidence: evidence.words,
            signer: evidence.signer, pathNote: resolved.note, identity: discovered.file.identity)
        library.reading = discovered.reading + start.duration(to: .now)
        return library
    }

    private func checkCopy(_ copy: StoredLibrary, of discovered: DiscoveredLibrary, _ path: String) throws {
        let copied = try ELFFile(RandomAccessFile(copy.path, copiedFrom: path))
        guard try copied.section(ModuleLibraries.section) == discovered.section else {
            throw ModuleError.changedWhileRead(path)
        }
        try OwnLibraries.checkKit(of: copied, "Module '\(discovered.manifest.name)'")
        try OwnLibraries.checkContracts(of: copied, discovered.manifest)
    }

    package func library(at path: String) throws -> CheckedLibrary {
        try check(DiscoveredLibrary(RandomAccessFile(path)))
    }

    /// Checks a build in the store that was loaded before.
    ///
    /// - Throws: ``ModuleError`` if the store no longer has it.
    package func library(ofStored digest: String, of name: String, source: String) throws -> CheckedLibrary {
        let start = ContinuousClock.now
        guard let copy = store.library(digest) else {
            throw ModuleError(
                .libraryNotFound,
                "Module '\(name)' was rolled back to the build \(digest.prefix(16)), which no longer exists.",
                hint: "module update \(name)")
        }
        let manifest = try DiscoveredLibrary(RandomAccessFile(copy.path, copiedFrom: source)).manifest
        try Compatibility.check(manifest)
        let evidence = try evidence(for: name, manifest.version, copy, at: source, wasKnown: false)
        var library = CheckedLibrary(
            manifest: manifest, source: source, copy: copy, evidence: evidence.words,
            signer: evidence.signer, identity: "")
        library.reading = start.duration(to: .now)
        return library
    }

    /// Applies the trust policy to the copy that will be opened.
    ///
    /// `contract` is the name of a contract's library.
    func evidence(
        for name: String, _ version: SemanticVersion, contract: String? = nil, _ copy: StoredLibrary,
        at path: String, wasKnown: Bool
    ) throws -> (words: String, signer: String?) {
        guard let trust else { return ("not checked", nil) }
        // Without a policy, the identity of the copy is sufficient proof.
        if trust.policy != .any, wasKnown, store.library(copy.digest) == nil {
            throw ModuleError(
                .changedWhileRead, "The private copy of '\(path)' is damaged.",
                hint: "Build or copy the library again: a changed file is copied again.")
        }
        return try trust.check(
            TrustPolicy.Library(
                name: name, version: version, contract: contract, path: path, digest: copy.digest,
                bytes: { try FileContents.read(copy.path, limit: RandomAccessFile.sizeLimit) }))
    }
}

// MARK: - Off the main actor

extension ModuleReader {
    /// Checks a library as ``check(_:)`` does, off the caller's actor if bytes have to be copied or digested.
    ///
    /// The build to roll back to takes its place while the file is still the abandoned build.
    package nonisolated(nonsending) func checkConcurrently(
        _ discovered: DiscoveredLibrary, rollback: InstalledModules.RolledBack? = nil
    ) async throws -> CheckedLibrary {
        let needsProof = trust.map { $0.policy != .any } ?? false
        if rollback == nil, !needsProof, store.known(discovered.file) != nil { return try check(discovered) }
        return try await inBackground { try $0.check(discovered, rollback: rollback) }
    }

    package func check(
        _ discovered: DiscoveredLibrary, rollback: InstalledModules.RolledBack?
    ) throws -> CheckedLibrary {
        let library = try check(discovered)
        guard let rollback, library.digest == rollback.instead else { return library }
        return try self.library(ofStored: rollback.digest, of: library.name, source: library.source)
    }

    /// Runs work on files off the caller's actor.
    package nonisolated(nonsending) func inBackground<Value: Sendable>(
        _ work: @escaping @Sendable (ModuleReader) throws -> Value
    ) async throws -> Value {
        try await SystemThread.run { try work(self) }
    }
}
