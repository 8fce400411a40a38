package import AtriumManifest
internal import AtriumStorage

/// A module library that was read and found good; nothing of it has run.
package struct Candidate: Sendable {
    package let manifest: ModuleManifest
    /// Where it was found.
    package let source: String
    /// The private copy that all checks were made on, and that is opened.
    let library: StoredLibrary
    /// How the library came to be trusted, in words.
    package let evidence: String
    /// What is unusual about the way to it, in words; nil where nothing is.
    package var detour: String?
    /// What changes whenever the file at ``source`` is replaced or written to.
    let identity: String

    package var name: String { manifest.name }
    package var version: SemanticVersion { manifest.version }
    /// The BLAKE2b digest of the library.
    package var digest: String { library.digest }

    /// The candidate as the resolver sees it.
    var forResolver: Resolver.Candidate {
        Resolver.Candidate(name: manifest.name, version: manifest.version, requires: manifest.requires)
    }
}

/// A library whose manifest was read where it lies; it is copied and checked when it is to be loaded.
struct DiscoveredLibrary {
    let manifest: ModuleManifest
    let file: RandomAccessFile
}

/// Reads module libraries, and decides whether they may be loaded; runs nothing of them.
struct ModuleReader {
    let searchPaths: [String]
    let store: ModuleStore
    /// What a library must show; nil lets every one pass.
    var trust: TrustPolicy?

    /// Where the library of a module lies: at its path, or in the first search folder that has it.
    func locate(_ name: String, path: String?) throws -> String {
        if let path { return path }
        let file = "lib\(name).so"
        guard let folder = searchPaths.first(where: { FileSystem.exists("\($0)/\(file)") }) else {
            throw ModuleError.notFound(name, searched: searchPaths)
        }
        return "\(folder)/\(file)"
    }

    /// Reads the manifest of the library at `path`.
    func discover(_ path: String) throws -> DiscoveredLibrary {
        let file = try RandomAccessFile(path)
        return DiscoveredLibrary(manifest: try Self.manifest(of: file, path), file: file)
    }

    /// Copies a library into the private store, and checks the copy.
    ///
    /// - Throws: ``ModuleError``, also where the file has changed since its manifest was read.
    func check(_ discovered: DiscoveredLibrary) throws -> Candidate {
        let path = discovered.file.path
        let place = ResolvedPath(of: discovered.file, searchFolders: searchPaths)
        try Permissions.check(discovered.file, at: place)
        try Contract.check(discovered.manifest)
        let stored = try store.copy(discovered.file)
        if !stored.wasKnown {
            let manifest = try Self.manifest(of: RandomAccessFile(stored.path), path)
            guard manifest == discovered.manifest else { throw ModuleError.changedWhileRead(path) }
        }
        let evidence = try vouch(
            for: discovered.manifest, stored.library, at: place.resolved, stored.wasKnown)
        return Candidate(
            manifest: discovered.manifest, source: path, library: stored.library,
            evidence: evidence, detour: place.note, identity: discovered.file.identity)
    }

    /// Asks the policy about the copy that will be opened.
    private func vouch(
        for manifest: ModuleManifest, _ library: StoredLibrary, at path: String, _ wasKnown: Bool
    ) throws -> String {
        guard let trust else { return "not checked" }
        // Without a policy a copy that is as it was when it was made is enough.
        if trust.policy != .any, wasKnown, store.library(library.digest) == nil {
            throw ModuleError.damagedCopy(path)
        }
        let evidence = try trust.check(
            TrustPolicy.Library(
                name: manifest.name, version: manifest.version, path: path, digest: library.digest,
                bytes: { try FileContents.read(library.path) }))
        return evidence.description
    }

    /// Reads and checks the library at `path`.
    func candidate(at path: String) throws -> Candidate {
        try check(try discover(path))
    }

    /// A build that was loaded before and is in the store, in place of the one that lies at its path.
    ///
    /// - Throws: ``ModuleError`` where it is not in the store any more.
    func candidate(ofStored digest: String, from other: Candidate) throws -> Candidate {
        guard let library = store.library(digest) else {
            throw ModuleError.notStored(other.name, digest: digest)
        }
        let manifest = try Self.manifest(of: RandomAccessFile(library.path), other.source)
        try Contract.check(manifest)
        let evidence = try vouch(for: manifest, library, at: other.source, false)
        return Candidate(
            manifest: manifest, source: other.source, library: library, evidence: evidence, identity: "")
    }

    private static func manifest(of file: RandomAccessFile, _ path: String) throws -> ModuleManifest {
        guard let section = try ELFFile(file).section(ModuleLibraries.section) else {
            throw ModuleError.noManifest(path)
        }
        do {
            return try ModuleManifest(json: section, file: path)
        } catch {
            throw ModuleError.badManifest(path, findings: error.sentence)
        }
    }
}
