package import AtriumManifest
internal import AtriumStorage

/// Decides whether a library may be loaded, by what modules.json demands of it.
package struct TrustPolicy: Sendable {
    /// What a library must show.
    package let policy: HostConfiguration.Trust.Policy
    /// The lock; nil where there is none.
    package let lock: LockFile?
    private let lockPath: String
    private let keys: [MinisignKey]

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - trust: What modules.json says.
    ///   - lock: What `lockPath` holds; nil where there is no such file.
    ///   - lockPath: Where the lock is looked for, for messages.
    /// - Throws: ``ConfigurationError`` where a key is none.
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

    /// A library that wants to be loaded.
    struct Candidate {
        /// The name in its manifest.
        let name: String
        /// The version in its manifest.
        let version: SemanticVersion
        /// Where the library was copied from, links resolved; its signature stands beside it.
        let library: String
        /// The BLAKE2b digest of the copy that will be opened.
        let digest: String
        /// Reads the copy that will be opened; only a legacy signature needs it.
        let bytes: () throws -> [UInt8]

        /// Where its signature is looked for.
        var signaturePath: String { library + ".minisig" }
    }

    /// Lets a library pass, or says why not.
    ///
    /// - Returns: What it was let pass for.
    /// - Throws: ``ModuleError`` with code `untrusted`.
    func check(_ candidate: Candidate) throws -> Evidence {
        let lockState = lockState(of: candidate)
        switch policy {
        case .any:
            return Evidence(.nothing, lockState)
        case .locked:
            try checkLock(candidate, lockState)
            return Evidence(.lock, lockState)
        case .signed:
            let (key, comment) = try checkSignature(candidate)
            return Evidence(.signature(key: key, comment: comment), lockState)
        }
    }

    private func lockState(of candidate: Candidate) -> Evidence.LockState {
        guard let entry = lock?.modules[candidate.name] else { return .unlisted }
        return entry.digest == candidate.digest ? .same : .differs(entry)
    }

    private func checkLock(_ candidate: Candidate, _ state: Evidence.LockState) throws(ModuleError) {
        switch state {
        case .same: break
        case .differs(let entry): throw .otherDigest(candidate, pinned: entry, in: lockPath)
        case .unlisted where lock == nil: throw .noLock(candidate, lockPath)
        case .unlisted: throw .notLocked(candidate, in: lockPath)
        }
    }
}

/// Signatures.
extension TrustPolicy {
    private func checkSignature(_ candidate: Candidate) throws -> (MinisignKey, comment: String) {
        let signature = try readSignature(of: candidate)
        let candidates = keys.filter { $0.id == signature.keyID }
        guard !candidates.isEmpty else {
            throw ModuleError.otherKey(candidate, signature.keyID, trusted: keys.map(\.id))
        }
        let content = try signedContent(of: candidate, signature.form)
        guard let key = candidates.first(where: { signature.vouches(for: content, by: $0) }) else {
            throw ModuleError.otherContent(candidate, signature.keyID)
        }
        guard signature.vouchesForComment(by: key) else { throw ModuleError.otherComment(candidate) }
        return (key, signature.trustedComment)
    }

    private func readSignature(of candidate: Candidate) throws(ModuleError) -> MinisignSignature {
        let bytes: [UInt8]?
        do {
            bytes = try FileContents.readIfPresent(
                candidate.signaturePath, limit: MinisignSignature.sizeLimit)
        } catch {
            throw .signatureUnreadable(candidate, error)
        }
        guard let bytes else { throw .notSigned(candidate) }
        do {
            return try MinisignSignature(bytes)
        } catch {
            throw .notASignature(candidate, error)
        }
    }

    private func signedContent(
        of candidate: Candidate, _ form: MinisignSignature.Form
    ) throws -> [UInt8] {
        switch form {
        case .legacy:
            let bytes = try candidate.bytes()
            // Else the signature would be checked on other bytes than the rest.
            guard ContentDigest(of: bytes).description == candidate.digest else {
                throw ModuleError.otherCopy(candidate)
            }
            return bytes
        case .prehashed:
            guard let digest = Hexadecimal.bytes(candidate.digest), digest.count == ContentDigest.byteCount
            else { throw ModuleError.otherCopy(candidate) }
            return digest
        }
    }
}
