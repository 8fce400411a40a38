internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// A folder of libraries with an index; nothing outside of it is read, and none of its code is run.
package struct Repository: Sendable, Hashable {
    /// An absolute path.
    let folder: String

    private var indexPath: String { "\(folder)/\(RepositoryIndex.fileName)" }

    /// Changes whenever the index or its signature is replaced or written to; nil if there is no index.
    var identity: String? {
        guard let index = FileSystem.identity(of: indexPath) else { return nil }
        return index + " " + (FileSystem.identity(of: MinisignSignature.path(of: indexPath)) ?? "")
    }

    /// Reads the index, with the same trust requirements as for libraries.
    ///
    /// - Throws: ``RepositoryError``.
    func index(_ trust: TrustPolicy?) throws(RepositoryError) -> RepositoryIndex {
        let bytes = try contents()
        do {
            let file = try RandomAccessFile(indexPath)
            try Permissions.check(
                file, at: ResolvedPath(of: file, searchFolders: [folder]), kind: "index")
            try trust?.checkIndex(at: indexPath, of: folder, bytes)
        } catch {
            let error = ModuleError.explained(error, of: folder)
            throw RepositoryError(error.code, error.message, hint: error.hint, cause: error)
        }
        do {
            return try RepositoryIndex(json: bytes)
        } catch {
            // Shorten the list: a hostile file may have a finding in each line.
            throw .invalid(
                folder,
                RepositoryError.sentence(error.findings.map { "line \($0.position.line): \($0.message)" }))
        }
    }

    private func contents() throws(RepositoryError) -> [UInt8] {
        guard let status = FileStatus(of: folder) else { throw .noFolder(folder) }
        guard status.kind == .folder else { throw .noFolder(folder, ENOTDIR) }
        do {
            let limit = RepositoryIndex.sizeLimit
            let bytes = try FileContents.readIfPresent(indexPath, limit: limit, followsLinks: false)
            if let bytes { return bytes }
        } catch {
            throw .unreadable(folder, error)
        }
        throw .noIndex(folder)
    }

    /// The problem with an entry's file, judging by its size; nil if it may match the index.
    func problem(with entry: RepositoryIndex.Entry) -> String? {
        guard let status = FileStatus(of: "\(folder)/\(entry.file)") else {
            return "it lists '\(entry.file)', which can't be found"
        }
        guard status.size != entry.size else { return nil }
        return "it lists '\(entry.file)' with \(entry.size) bytes, and that has \(status.size)"
    }

    // MARK: - Contracts

    /// The library of a contract and the signature beside it; nil if the folder has none of that major version.
    ///
    /// The index does not list contracts; they are checked by themselves before they are opened.
    func contract(_ requirement: Requirement) throws -> (
        manifest: ContractManifest, bytes: [UInt8], signature: [UInt8]?
    )? {
        for path in ["\(folder)/\(requirement.contractLibrary)", "\(folder)/lib\(requirement.name).so"]
        where FileSystem.exists(path) {
            let file = try RandomAccessFile(path)
            let resolved = ResolvedPath(of: file, searchFolders: [folder])
            guard FileSystem.folder(of: resolved.resolved) == FileSystem.realPath(folder) else { continue }
            try Permissions.check(file, at: resolved)
            let manifest = try DiscoveredContract(file).manifest
            guard manifest.libraryName == requirement.contractLibrary,
                let bytes = try file.bytes(at: 0, count: file.size)
            else { continue }
            return (manifest, bytes, signature(of: resolved.resolved))
        }
        return nil
    }

    private func signature(of library: String) -> [UInt8]? {
        try? FileContents.readIfPresent(
            MinisignSignature.path(of: library), limit: MinisignSignature.sizeLimit)
    }

    // MARK: - Libraries

    /// The bytes of a library, verified against the index, and the signature beside it.
    ///
    /// - Throws: ``RepositoryError``, or ``ModuleError`` if the library is not trusted.
    func library(_ offer: RepositoryOffer, _ trust: TrustPolicy?) throws -> (
        bytes: [UInt8], signature: [UInt8]?
    ) {
        let file = try RandomAccessFile(offer.path)
        let resolved = ResolvedPath(of: file, searchFolders: [folder])
        guard FileSystem.folder(of: resolved.resolved) == FileSystem.realPath(folder) else {
            throw RepositoryError.otherContent(offer, "is a link that leads out of the repository")
        }
        try Permissions.check(file, at: resolved)
        guard file.size == UInt64(offer.entry.size), let bytes = try file.bytes(at: 0, count: file.size),
            RepositoryIndex.digest(of: bytes) == offer.entry.digest
        else { throw RepositoryError.otherContent(offer, "differs from the library that the index lists") }
        _ = try trust?.check(
            TrustPolicy.Library(
                name: offer.name, version: offer.version, path: resolved.resolved,
                digest: ContentDigest(of: bytes).description, bytes: { bytes }))
        return (bytes, signature(of: resolved.resolved))
    }
}
