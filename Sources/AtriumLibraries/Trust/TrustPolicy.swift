internal import AtriumKit
package import AtriumManifest
internal import AtriumStorage

/// Decides whether a library may be loaded, according to modules.json.
package struct TrustPolicy: Sendable {
    package let policy: HostConfiguration.Trust.Policy
    /// True if code that is typed at a prompt may run.
    package let allowsTypedCode: Bool
    let lock: LockFile?
    private let lockPath: String
    package let keys: [MinisignKey]

    /// - Parameters:
    ///   - trust: The section of modules.json.
    ///   - lock: The contents of `lockPath`; nil if there is no such file.
    ///   - lockPath: The path of the lock, for messages.
    /// - Throws: ``ConfigurationError`` if a key is invalid.
    init(_ trust: HostConfiguration.Trust, lock: LockFile?, lockPath: String) throws(ConfigurationError) {
        policy = trust.policy
        allowsTypedCode = policy == .any || trust.allowsTypedCode
        self.lock = lock
        self.lockPath = lockPath
        var keys: [MinisignKey] = []
        for text in trust.keys {
            do {
                keys.append(try MinisignKey(text))
            } catch {
                throw ConfigurationError(
                    code: "configurationInvalid",
                    message: "'\(text)' in modules.json is not a minisign public key: \(error.reason).",
                    hint: "Copy the line that begins with RW out of the .pub file.", cause: error)
            }
        }
        self.keys = keys
    }

    /// A library that is about to be loaded.
    package struct Library {
        /// The module's name in the manifest.
        let name: String
        let version: SemanticVersion
        /// The name of a contract's library; nil for a module.
        let contract: String?
        /// The file that the library was copied from, with links resolved; its signature is beside it.
        let path: String
        /// The BLAKE2b digest of the copy that will be opened.
        let digest: String
        /// Reads the copy that will be opened; only a legacy signature needs it.
        let bytes: () throws -> [UInt8]

        package init(
            name: String, version: SemanticVersion, contract: String? = nil, path: String, digest: String,
            bytes: @escaping () throws -> [UInt8]
        ) {
            (self.name, self.version, self.path, self.digest) = (name, version, path, digest)
            (self.contract, self.bytes) = (contract, bytes)
        }

        fileprivate var file: SignedFile {
            let owner = contract == nil ? "Module '\(name)'" : "Contract '\(name)'"
            return SignedFile(owner: owner, kind: "library", path: path, digest: digest, bytes: bytes)
        }
    }

    /// A file with a signature beside it.
    fileprivate struct SignedFile {
        /// The owner of the file, as the subject of a sentence.
        let owner: String
        /// The kind of file, as one word.
        let kind: String
        let path: String
        let digest: String
        let bytes: () throws -> [UInt8]

        var signaturePath: String { MinisignSignature.path(of: path) }
    }

    /// Checks that a library may be loaded.
    ///
    /// - Returns: The reason why it may, as a phrase for the user: `pinned in modules.lock`; and the key of its
    ///   signature, nil unless the policy requires one.
    /// - Throws: ``ModuleError`` with code `untrusted`.
    package func check(_ library: Library) throws -> (words: String, signer: String?) {
        let entry = library.contract.map { lock?.contracts[$0] } ?? lock?.modules[library.name]
        let isPinned = entry?.digest == library.digest
        let pinned = "pinned in \(LockFile.name)"
        let other = entry.map {
            "; differs from \(LockFile.name), which pins \($0.version) (\($0.shortDigest))"
        }
        let addition = isPinned ? ", " + pinned : other ?? ""
        switch policy {
        case .any: return (isPinned ? pinned : "not checked: the policy is 'any'\(addition)", nil)
        case .locked:
            guard isPinned else { throw notPinned(library, entry) }
            return (pinned, nil)
        case .signed:
            let (key, comment) = try checkSignature(of: library.file)
            let words = "signed by key \(key.description) (\(Self.printable(comment)))\(addition)"
            return (words, key.description)
        }
    }

    private func notPinned(_ library: Library, _ entry: LockFile.Entry?) -> ModuleError {
        let found = LockFile.Entry(version: library.version, digest: library.digest)
        let other = entry.map {
            "'\(lockPath)' pins \($0.version) with digest \($0.shortDigest), "
                + "this is \(found.version) with digest \(found.shortDigest)"
        }
        let missing = lock == nil ? "there is no '\(lockPath)'" : "'\(lockPath)' does not list it"
        return untrusted(
            library.file, other ?? missing,
            hint:
                "Find out where '\(library.path)' comes from; if it may run, name it in modules.json and pin it "
                + "with 'atrium lock'.")
    }

    /// Checks that the index of a repository may be used; policy `signed` requires a signature.
    ///
    /// - Throws: ``ModuleError`` with code `untrusted`.
    package func checkIndex(at path: String, of folder: String, _ bytes: [UInt8]) throws {
        guard policy == .signed else { return }
        _ = try checkSignature(
            of: SignedFile(
                owner: "The index of the repository '\(folder)'", kind: "index", path: path,
                digest: ContentDigest(of: bytes).description, bytes: { bytes }))
    }

    // MARK: - Signatures

    private func checkSignature(of file: SignedFile) throws -> (MinisignKey, comment: String) {
        let path = file.signaturePath
        let command = "minisign -S -m \(FileSystem.quoted(file.path))"
        let signature = try readSignature(of: file, command)
        let signers = keys.filter { $0.id == signature.keyID }
        guard !signers.isEmpty else {
            let trusted = keys.isEmpty ? "no key" : keys.map(\.id).joined(separator: " and ")
            throw untrusted(
                file, "its signature is by key \(signature.keyID), modules.json trusts \(trusted)",
                hint: "Have it signed by a trusted key, or add the signer's to \"keys\" in modules.json.")
        }
        let content = try signedContent(of: file, isDigest: signature.isOfDigest)
        guard let key = signers.first(where: { signature.isValid(for: content, by: $0) }) else {
            throw untrusted(
                file,
                "'\(path)', by key \(signature.keyID), is not the signature of this \(file.kind): "
                    + "one of the two was changed",
                hint: "Restore the signed \(file.kind), or sign this one: \(command)")
        }
        guard signature.isCommentValid(by: key) else {
            throw untrusted(
                file, "the trusted comment in '\(path)' was changed after it was signed",
                hint: "Sign it: \(command)")
        }
        return (key, signature.trustedComment)
    }

    private func readSignature(of file: SignedFile, _ command: String) throws(ModuleError)
        -> MinisignSignature
    {
        let path = file.signaturePath
        let bytes: [UInt8]?
        do {
            bytes = try FileContents.readIfPresent(path, limit: MinisignSignature.sizeLimit)
        } catch {
            throw ModuleError(
                .untrusted, "\(file.owner) is not trusted. \(error.message)",
                hint: "Make '\(path)' a readable file.", cause: error)
        }
        guard let bytes else {
            throw untrusted(file, "there is no signature '\(path)'", hint: "Sign it: \(command)")
        }
        do {
            return try MinisignSignature(bytes)
        } catch {
            throw untrusted(
                file, "'\(path)' is not a minisign signature: \(error.reason)",
                hint: "Sign it: \(command)",
                cause: error)
        }
    }

    /// Returns the digest, or bytes that match it: otherwise the signature would be checked on other bytes
    /// than the rest.
    private func signedContent(of file: SignedFile, isDigest: Bool) throws -> [UInt8] {
        let bytes = isDigest ? [] : try file.bytes()
        let digest = isDigest ? ContentDigest(hexadecimal: file.digest) : ContentDigest(of: bytes)
        guard let digest, digest.description == file.digest else {
            throw untrusted(
                file, "its private copy changed while it was checked",
                hint: "Try again; find out what else writes to the data folder.")
        }
        return isDigest ? digest.bytes : bytes
    }

    private func untrusted(
        _ file: SignedFile, _ reason: String, hint: String, cause: (any Error)? = nil
    ) -> ModuleError {
        ModuleError(
            .untrusted, "\(file.owner) is not trusted: \(reason).", hint: hint, cause: cause)
    }

    /// Makes one printable line: minisign's comments contain tabs.
    package static func printable(_ comment: String) -> String {
        String(
            comment.unicodeScalars.reduce(into: String.UnicodeScalarView()) { text, scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: text.append(" ")
                case .format: break
                default: text.append(scalar)
                }
            })
    }
}

extension ConfigurationFile {
    /// The path of the lock: beside modules.json.
    package var lockPath: String { absolute(LockFile.name) }

    /// The policy of modules.json, with the current lock.
    ///
    /// - Throws: ``ConfigurationError`` if the lock is damaged, whatever the policy, if others can write it under
    ///   policy `locked`, or if a key is invalid.
    package func trustPolicy() throws(ConfigurationError) -> TrustPolicy {
        if host.trust.policy == .locked { try LockFile.checkWriters(lockPath) }
        return try TrustPolicy(host.trust, lock: try LockFile.read(lockPath), lockPath: lockPath)
    }
}

extension ErrorCode {
    static let untrusted: ErrorCode = "untrusted"
}
