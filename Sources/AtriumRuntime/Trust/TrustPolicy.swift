package import AtriumManifest
internal import AtriumStorage

/// Decides whether a library may be loaded: what modules.json requires of it.
package struct TrustPolicy: Sendable {
    package let policy: HostConfiguration.Trust.Policy
    /// Nil if there is no lock.
    package let lock: LockFile?
    private let lockPath: String
    private let keys: [MinisignKey]

    /// - Parameters:
    ///   - trust: The section of modules.json.
    ///   - lock: The content of `lockPath`; nil if there is no such file.
    ///   - lockPath: The path of the lock, for messages.
    /// - Throws: ``ConfigurationError`` if a key is invalid.
    package init(
        _ trust: HostConfiguration.Trust, lock: LockFile?, lockPath: String
    ) throws(ConfigurationError) {
        policy = trust.policy
        self.lock = lock
        self.lockPath = lockPath
        var keys: [MinisignKey] = []
        for text in trust.keys {
            do {
                keys.append(try MinisignKey(text))
            } catch {
                throw .notAKey(text, error)
            }
        }
        self.keys = keys
    }

    /// A library that is about to be loaded.
    struct Library {
        /// The module's name, in the manifest.
        let name: String
        let version: SemanticVersion
        /// The file from which the library was copied, with links resolved; its signature lies beside it.
        let path: String
        /// The BLAKE2b digest of the copy that will be opened.
        let digest: String
        /// Reads the copy that will be opened; only a legacy signature needs it.
        let bytes: () throws -> [UInt8]

        var signaturePath: String { path + ".minisig" }
    }

    /// Checks that a library may be loaded.
    ///
    /// - Throws: ``ModuleError`` with code `untrusted`.
    func check(_ library: Library) throws -> TrustResult {
        let lockState = lockState(of: library)
        switch policy {
        case .any:
            return TrustResult(.nothing, lockState)
        case .locked:
            try checkLock(library, lockState)
            return TrustResult(.lock, lockState)
        case .signed:
            let (key, comment) = try checkSignature(library)
            return TrustResult(.signature(key: key, comment: comment), lockState)
        }
    }

    private func lockState(of library: Library) -> TrustResult.LockState {
        guard let entry = lock?.modules[library.name] else { return .unlisted }
        return entry.digest == library.digest ? .same : .differs(entry)
    }

    private func checkLock(_ library: Library, _ state: TrustResult.LockState) throws(ModuleError) {
        switch state {
        case .same: break
        case .differs(let entry): throw .otherDigest(library, pinned: entry, in: lockPath)
        case .unlisted where lock == nil: throw .noLock(library, lockPath)
        case .unlisted: throw .notLocked(library, in: lockPath)
        }
    }
}

// MARK: - Signatures

extension TrustPolicy {
    private func checkSignature(_ library: Library) throws -> (MinisignKey, comment: String) {
        let signature = try readSignature(of: library)
        let signers = keys.filter { $0.id == signature.keyID }
        guard !signers.isEmpty else {
            throw ModuleError.otherKey(library, signature.keyID, trusted: keys.map(\.id))
        }
        let content = try signedContent(of: library, signature.form)
        guard let key = signers.first(where: { signature.isValid(for: content, by: $0) }) else {
            throw ModuleError.otherContent(library, signature.keyID)
        }
        guard signature.isCommentValid(by: key) else { throw ModuleError.otherComment(library) }
        return (key, signature.trustedComment)
    }

    private func readSignature(of library: Library) throws(ModuleError) -> MinisignSignature {
        let bytes: [UInt8]?
        do {
            bytes = try FileContents.readIfPresent(
                library.signaturePath, limit: MinisignSignature.sizeLimit)
        } catch {
            throw .signatureUnreadable(library, error)
        }
        guard let bytes else { throw .notSigned(library) }
        do {
            return try MinisignSignature(bytes)
        } catch {
            throw .notASignature(library, error)
        }
    }

    private func signedContent(
        of library: Library, _ form: MinisignSignature.Form
    ) throws -> [UInt8] {
        switch form {
        case .legacy:
            let bytes = try library.bytes()
            // Otherwise the signature would be checked on other bytes than the rest.
            guard ContentDigest(of: bytes).description == library.digest else {
                throw ModuleError.otherCopy(library)
            }
            return bytes
        case .prehashed:
            guard let digest = ContentDigest(hexadecimal: library.digest) else {
                throw ModuleError.otherCopy(library)
            }
            return digest.bytes
        }
    }
}

extension ConfigurationFile {
    /// The path of the lock: beside modules.json.
    package var lockPath: String {
        let folder = FileSystem.folder(of: path)
        return folder == "/" ? "/\(LockFile.name)" : "\(folder)/\(LockFile.name)"
    }

    /// The policy of modules.json, with the present lock.
    ///
    /// - Throws: ``ConfigurationError`` if the lock is damaged, whatever the policy, or a key is invalid.
    package func trustPolicy() throws(ConfigurationError) -> TrustPolicy {
        try TrustPolicy(host.trust, lock: try LockFile.read(lockPath), lockPath: lockPath)
    }
}

/// Why a library may be loaded.
package struct TrustResult: Sendable, Hashable {
    /// What the policy required and found.
    package enum Basis: Sendable, Hashable {
        /// The policy requires nothing.
        case nothing
        /// The lock pins the digest.
        case lock
        /// The library is signed by a key of modules.json.
        case signature(key: MinisignKey, comment: String)
    }

    /// What the lock says, whether or not the policy requires it.
    package enum LockState: Sendable, Hashable {
        case unlisted
        /// It pins this digest.
        case same
        /// It pins another digest.
        case differs(LockFile.Entry)
    }

    package let basis: Basis
    package let lockState: LockState

    init(_ basis: Basis, _ lockState: LockState) {
        self.basis = basis
        self.lockState = lockState
    }
}

extension TrustResult: CustomStringConvertible {
    /// A phrase for people: `pinned in modules.lock`.
    package var description: String {
        switch (basis, lockState) {
        case (.lock, _), (.nothing, .same): "pinned in \(LockFile.name)"
        case (.nothing, _): "not checked: the policy is 'any'\(addition)"
        case (.signature(let key, let comment), _):
            "signed by key \(key) (\(Self.printable(comment)))\(addition)"
        }
    }

    private var addition: String {
        switch lockState {
        case .unlisted: ""
        case .same: ", pinned in \(LockFile.name)"
        case .differs(let entry):
            "; differs from \(LockFile.name), which pins \(entry.version) (\(entry.shortDigest))"
        }
    }

    /// One printable line: the comments that minisign writes have tabs.
    private static func printable(_ comment: String) -> String {
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
