internal import AtriumKit
package import AtriumLibraries
package import AtriumManifest
internal import AtriumStorage

package struct RepositoryOffer: Sendable, Hashable {
    package let entry: RepositoryIndex.Entry
    /// The repository's folder.
    package let repository: String

    package var name: String { entry.name }
    package var version: SemanticVersion { entry.version }
    var path: String { "\(repository)/\(entry.file)" }

    /// A sentence with the reason why this host can't load it; nil if it can.
    package var misfit: String? {
        do throws(ModuleError) {
            try Compatibility.check(
                "Module '\(name) \(version)'", sdk: entry.sdk, inlinedLayout: entry.inlinedLayout,
                compiler: entry.compiler)
            return nil
        } catch {
            return error.message
        }
    }
}

/// The contents of all repositories, and the problems of some.
package struct RepositoryCatalog: Sendable {
    /// The libraries by module, newest first; if several have the same version, the first repository's.
    package private(set) var offers: [String: [RepositoryOffer]] = [:]
    package private(set) var problems: [RepositoryError] = []
    private var versions: [String: Set<SemanticVersion>] = [:]

    package init() {}

    package var names: [String] { offers.keys.sorted() }

    /// Adds a repository; entries whose files no longer match the index are left out.
    mutating func add(_ index: Result<RepositoryIndex, RepositoryError>, of repository: Repository) {
        var stale: [String] = []
        switch index {
        case .failure(let error): problems.append(error)
        case .success(let index):
            for entry in index.entries {
                if let problem = repository.problem(with: entry) {
                    stale.append(problem)
                } else {
                    add(RepositoryOffer(entry: entry, repository: repository.folder))
                }
            }
        }
        if !stale.isEmpty { problems.append(.stale(repository.folder, stale)) }
    }

    private mutating func add(_ offer: RepositoryOffer) {
        guard versions[offer.name, default: []].insert(offer.version).inserted else { return }
        offers[offer.name, default: []].append(offer)
    }

    mutating func sort() {
        offers = offers.mapValues { $0.sorted { $0.version > $1.version } }
    }
}

/// The repositories in `modules.json`, and the folder of libraries installed from them.
@MainActor
package final class Repositories {
    /// The folder of the installed libraries; in the data folder.
    let libraries: String
    private let repositories: [Repository]
    /// The indexes that were read without a problem, valid while their files are unchanged.
    private var known: Indexes = [:]
    /// The number of running commands that copy libraries.
    private var uses = 0

    private typealias Indexes = [Repository: (identity: String, index: RepositoryIndex)]
    private typealias Reading = (identity: String?, index: Result<RepositoryIndex, RepositoryError>)

    /// - Parameters:
    ///   - folders: The repositories, in order of precedence.
    ///   - libraries: The folder that installed libraries are copied to.
    package init(folders: [String] = [], libraries: String = "") {
        repositories = folders.map { Repository(folder: FileSystem.normalized($0)) }
        self.libraries = libraries
    }

    package var isConfigured: Bool { !repositories.isEmpty }

    /// Reads the repositories that have changed, off the caller's actor.
    ///
    /// - Throws: ``RepositoryError`` if none is configured.
    package func catalog(_ reader: ModuleReader) async throws -> RepositoryCatalog {
        guard !repositories.isEmpty else { throw RepositoryError.none }
        let readings = try await reader.inBackground { [repositories, known] reader in
            repositories.map { Self.read($0, known, reader.trust) }
        }
        return catalog(readings)
    }

    /// The names of all modules in the repositories that can be read; reads them on the caller's actor.
    package func names(_ trust: TrustPolicy?) -> [String] {
        catalog(repositories.map { Self.read($0, known, trust) }).names
    }

    private nonisolated static func read(
        _ repository: Repository, _ known: Indexes, _ trust: TrustPolicy?
    ) -> Reading {
        let identity = repository.identity
        if let former = known[repository], former.identity == identity {
            return (identity, .success(former.index))
        }
        return (identity, Result { () throws(RepositoryError) in try repository.index(trust) })
    }

    private func catalog(_ readings: [Reading]) -> RepositoryCatalog {
        var catalog = RepositoryCatalog()
        known = [:]
        for (repository, reading) in zip(repositories, readings) {
            catalog.add(reading.index, of: repository)
            if let identity = reading.identity, case .success(let index) = reading.index {
                known[repository] = (identity, index)
            }
        }
        catalog.sort()
        return catalog
    }

    // MARK: - Libraries

    /// Begins copying libraries for a command; they are kept until ``end(using:)``.
    package func begin() { uses += 1 }

    /// Ends the work started by ``begin()``.
    package func end(using used: Set<String>) {
        uses -= 1
        clean(using: used)
    }

    /// Removes unused libraries, unless a command is about to use some.
    package func clean(using used: Set<String>) {
        guard uses == 0, !libraries.isEmpty else { return }
        for name in Folder.names(in: libraries) ?? [] {
            var library = name
            for suffix in [".minisig", Self.contractSuffix] where name.hasSuffix(suffix) {
                library.removeLast(suffix.count)
            }
            if !used.contains("\(libraries)/\(library)") { FileSystem.remove("\(libraries)/\(name)") }
        }
    }

    /// Copies a library out of its repository, once it matches the index and is trusted there.
    ///
    /// - Returns: The path of the copy.
    package func bring(_ offer: RepositoryOffer, _ reader: ModuleReader) async throws -> String {
        let digest = offer.entry.digest.prefix(Self.digestLength)
        let path = "\(libraries)/\(offer.name)-\(offer.version)-\(digest).so"
        try await reader.inBackground { [libraries] reader in
            let (bytes, signature) = try Repository(folder: offer.repository).library(offer, reader.trust)
            try FileSystem.makeFolder(libraries)
            try FileSystem.replace(path, by: bytes)
            if let signature { try FileSystem.replace(MinisignSignature.path(of: path), by: signature) }
        }
        return path
    }

    /// Copies the contracts that the module in the library at `path` needs out of the module's repository, into a
    /// folder for this library alone; missing ones may be in a search path.
    ///
    /// So a contract replaces no other one, and goes with the library. It is checked before it is opened.
    package func bringContracts(
        _ requirements: [Requirement], of path: String, for offer: RepositoryOffer, _ reader: ModuleReader
    ) async throws {
        guard !requirements.isEmpty else { return }
        try await reader.inBackground { _ in
            let folder = path + Self.contractSuffix
            var open = requirements
            var seen: Set<String> = []
            while let requirement = open.popLast() {
                guard seen.insert(requirement.contractLibrary).inserted,
                    let found = try Repository(folder: offer.repository).contract(requirement),
                    requirement.range.contains(found.manifest.version)
                else { continue }
                open += found.manifest.contracts
                let copy = "\(folder)/\(requirement.contractLibrary)"
                guard !FileSystem.exists(copy) else { continue }
                try Self.keepContract(at: copy, found.bytes, found.signature)
            }
        }
    }

    private nonisolated static func keepContract(
        at path: String, _ bytes: [UInt8], _ signature: [UInt8]?
    ) throws {
        try FileSystem.makeFolder(FileSystem.folder(of: path))
        let signaturePath = MinisignSignature.path(of: path)
        FileSystem.remove(signaturePath)
        if let signature { try FileSystem.replace(signaturePath, by: signature) }
        try FileSystem.replace(path, by: bytes)
    }

    private nonisolated static let contractSuffix = ".contracts"

    /// The folder of the contracts that came with a library from a repository; nil if there is none.
    package nonisolated static func contractFolder(of path: String) -> String? {
        // Most libraries were built here: `libTill.so`. A call to the system for each would slow down a start.
        let start = path.utf8.dropLast(digestLength + ".so".utf8.count)
        guard start.last == UInt8(ascii: "-") else { return nil }
        let folder = path + contractSuffix
        return FileSystem.exists(folder) ? folder : nil
    }

    /// Stores a library from the database, with its contracts, beside those of repositories.
    ///
    /// - Returns: Its path.
    package func keep(_ library: SharedLibrary, _ reader: ModuleReader) async throws -> String {
        let digest = library.digest.prefix(Self.digestLength)
        let path = "\(libraries)/\(library.module)-\(library.version)-\(digest).so"
        try await reader.inBackground { [libraries] _ in
            try FileSystem.makeFolder(libraries)
            try FileSystem.replace(MinisignSignature.path(of: path), by: library.signature)
            try FileSystem.replace(path, by: library.bytes)
            for contract in library.contracts {
                try Self.keepContract(
                    at: "\(path + Self.contractSuffix)/\(contract.name)", contract.bytes, contract.signature)
            }
        }
        return path
    }

    private nonisolated static let digestLength = 8

    /// True if the name of a library that ``bring(_:_:)`` or ``keep(_:_:)`` copied has the digest.
    package nonisolated static func isLibrary(_ path: String, withDigest digest: String) -> Bool {
        path.hasSuffix("-\(digest.prefix(digestLength)).so")
    }

    /// The version in the name of a library that ``bring(_:_:)`` copied; nil for any other library.
    package func version(ofLibrary path: String, _ module: String) -> VersionRange? {
        let start = "\(libraries)/\(module)-"
        guard has(path), path.hasPrefix(start) else { return nil }
        let version = path.dropFirst(start.count).dropLast("-".count + Self.digestLength + ".so".count)
        return try? VersionRange(parsing: String(version))
    }

    /// A library's path relative to the data folder, and back.
    package func relative(_ path: String) -> String {
        has(path) ? String(path.dropFirst(FileSystem.folder(of: libraries).utf8.count + 1)) : path
    }

    package func absolute(_ path: String) -> String {
        libraries.isEmpty ? path : FileSystem.absolute(path, in: FileSystem.folder(of: libraries))
    }

    /// True if a library was installed from a repository.
    package func has(_ path: String) -> Bool { !libraries.isEmpty && path.hasPrefix(libraries + "/") }
}

extension FileSystem {
    /// Replaces a file, unless it already has these contents.
    fileprivate static func replace(_ path: String, by bytes: [UInt8]) throws {
        let limit = RandomAccessFile.sizeLimit
        if let former = try? FileContents.readIfPresent(path, limit: limit), former == bytes { return }
        try AtomicFile.write(bytes, to: path)
    }
}

extension RepositoryCatalog {
    /// The newest version of a module; a release if there is one.
    package func newest(_ name: String) -> RepositoryOffer? {
        let all = offers[name] ?? []
        return all.first { !$0.version.isPrerelease } ?? all.first
    }

    /// The newest version of a module that this host can load, or else the newest.
    package func best(_ name: String) -> RepositoryOffer? {
        let fitting = (offers[name] ?? []).filter { $0.misfit == nil }
        return fitting.first { !$0.version.isPrerelease } ?? fitting.first ?? newest(name)
    }
}
