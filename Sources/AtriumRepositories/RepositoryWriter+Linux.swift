package import AtriumKit
internal import AtriumLibraries
package import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// Writes the index of a folder of libraries.
package struct RepositoryWriter: Sendable {
    /// The contents of a written index.
    package struct Report: Sendable {
        package let path: String
        package let entries: [RepositoryIndex.Entry]
        /// The declared capabilities, by file; the index does not have them, as earlier hosts refuse unknown keys.
        package let capabilities: [String: Capabilities]
        /// Libraries without a manifest, which are not modules.
        package let others: [String]
        /// Sentences about contracts that modules need, and that the folder does not have.
        package let missing: [String]
        /// The public key of the signature; nil if there is none.
        package let key: String?
    }

    private let folder: String
    private var path: String { "\(folder)/\(RepositoryIndex.fileName)" }
    private var signaturePath: String { MinisignSignature.path(of: path) }

    /// Reads the manifests in a folder, and writes `index.json` there, with a signature if there is a key.
    ///
    /// - Parameters:
    ///   - folder: The folder; all `lib*.so` in it are read.
    ///   - key: The file of a minisign key without a password.
    ///   - now: The time of the signature.
    /// - Returns: The contents of the index.
    /// - Throws: The error of a library or the key; the former index stays in place.
    package static func write(_ folder: String, key: String?, now: Timestamp) throws -> Report {
        guard !folder.isEmpty else { throw Self.unreadable(folder, ENOENT) }
        let folder = FileSystem.normalized(FileSystem.absolute(folder))
        let secret = try key.map {
            try MinisignSecretKey(
                at: $0, else: "or sign the index yourself: minisign -S -m \(RepositoryIndex.fileName)")
        }
        let writer = RepositoryWriter(folder: folder)
        let (entries, capabilities, others, missing) = try writer.read()
        let index = RepositoryIndex(entries)
        let text = Array(index.text.utf8)
        guard entries.count <= RepositoryIndex.entryLimit, text.count <= RepositoryIndex.sizeLimit else {
            throw RepositoryError(
                "tooLarge",
                "The folder '\(folder)' has too many libraries for an index: \(entries.count), which take "
                    + "\(text.count) bytes; allowed: \(RepositoryIndex.entryLimit) and "
                    + "\(RepositoryIndex.sizeLimit).", hint: "Use several folders.")
        }
        do {
            _ = try RepositoryIndex(json: text)
        } catch {
            // The name of a file contains control characters.
            throw RepositoryError(
                "indexInvalid", "The index of '\(folder)' would be invalid: \(error.sentence)",
                hint: "Rename the file, or build the module again.", cause: error)
        }
        try writer.write(text, signed: secret, now)
        return Report(
            path: writer.path, entries: index.entries, capabilities: capabilities, others: others,
            missing: missing, key: secret?.publicKey.description)
    }

    // MARK: - Reading

    private func read() throws -> (
        [RepositoryIndex.Entry], [String: Capabilities], others: [String], missing: [String]
    ) {
        guard let status = FileStatus(of: folder) else { throw Self.unreadable(folder, errno) }
        guard status.kind == .folder else { throw Self.unreadable(folder, ENOTDIR) }
        guard Folder.names(in: folder) != nil else { throw Self.unreadable(folder, errno) }
        var entries: [RepositoryIndex.Release: RepositoryIndex.Entry] = [:]
        var capabilities: [String: Capabilities] = [:]
        var (others, missing): ([String], [String]) = ([], [])
        for path in try ModuleLibraries.libraries(in: folder) {
            let name = String(path.dropFirst(folder == "/" ? 1 : folder.utf8.count + 1))
            guard let (entry, manifest) = try entry(path, name) else {
                if !DiscoveredContract.isContract(path) { others.append(name) }
                continue
            }
            capabilities[name] = manifest.capabilities
            let repository = Repository(folder: folder)
            missing += try manifest.contracts.filter { try repository.contract($0) == nil }.map {
                "\(entry.name) \(entry.version) needs the contract \($0); the folder has no '\($0.contractLibrary)'."
            }
            let release = RepositoryIndex.Release(entry)
            if let other = entries[release], other.digest != entry.digest {
                throw RepositoryError(
                    "sameVersion",
                    "'\(other.file)' and '\(name)' are different builds of \(entry.name) \(entry.version).",
                    hint: "Remove one of them, or give the newer one a higher version.")
            }
            if entries[release] == nil { entries[release] = entry }
        }
        guard !entries.isEmpty else {
            throw RepositoryError(
                .noModules,
                others.isEmpty
                    ? "The folder '\(folder)' has no libraries (lib*.so) in it."
                    : "None of the libraries in '\(folder)' has a manifest, so they are not modules.",
                hint: "Copy the libraries of modules there first.")
        }
        return (Array(entries.values), capabilities, others, missing)
    }

    private static func unreadable(_ folder: String, _ number: CInt) -> RepositoryError {
        RepositoryError(
            number == ENOENT ? .notFound : "fileUnreadable",
            "The folder '\(folder)' can't be read: \(SystemError(number: number).reason).",
            hint: "Name a folder with libraries of modules.")
    }

    /// The entry of a library; nil if it is not a module.
    private func entry(
        _ path: String, _ name: String
    ) throws -> (RepositoryIndex.Entry, ModuleManifest)? {
        let file = try RandomAccessFile(path)
        guard FileSystem.folder(of: file.resolvedPath) == FileSystem.realPath(folder) else {
            throw RepositoryError(
                "linkOutside", "'\(path)' is a link that leads out of the folder.",
                hint: "Copy the library itself.")
        }
        guard try ELFFile(file).section(ModuleLibraries.section) != nil else { return nil }
        let manifest = try DiscoveredLibrary(file).manifest
        guard let bytes = try file.bytes(at: 0, count: file.size), file.isUnchanged else {
            throw ModuleError.changedWhileRead(path)
        }
        return RepositoryIndex.Entry(manifest, file: name, content: bytes).map { ($0, manifest) }
    }

    // MARK: - Writing

    /// Replaces the index and its signature once both are on the disk.
    private func write(_ text: [UInt8], signed key: MinisignSecretKey?, _ now: Timestamp) throws {
        for path in [path, signaturePath] where FileSystem.linkTarget(path) != nil {
            throw RepositoryError(
                "fileUnwritable", "'\(path)' is a link, which hosts don't follow.", hint: "Remove it.")
        }
        let index = try AtomicFile(path, replaces: true)
        try index.write(text)
        guard let key else {
            try index.finish()
            // Remove the former index's signature.
            unlink(signaturePath)
            return
        }
        let comment = "timestamp:\(now.microseconds / 1_000_000)\tfile:\(RepositoryIndex.fileName)\thashed"
        let signature = try AtomicFile(signaturePath, replaces: true)
        try signature.write(Array(key.signature(of: text, comment: comment).utf8))
        try index.finish()
        try signature.finish()
    }
}

extension MinisignSecretKey {
    /// Reads a key file; `alternative` is the end of a hint that names another way, if there is one.
    package init(at file: String, else alternative: String? = nil) throws(RepositoryError) {
        let bytes: [UInt8]
        do {
            bytes = try FileContents.read(file, limit: Self.sizeLimit)
        } catch {
            throw RepositoryError(
                error.code, error.message, hint: "Name the file of a minisign secret key.", cause: error)
        }
        do {
            try self.init(bytes)
        } catch {
            throw RepositoryError(
                "keyInvalid", "'\(file)' can't be used as a minisign secret key: \(error.reason).",
                hint: "Make one with 'minisign -G -W'" + (alternative.map { ", " + $0 } ?? "."), cause: error)
        }
    }
}
