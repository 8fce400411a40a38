internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest

/// Decides whether this host carries out a rollout from the database.
///
/// Anyone who can write to the database can write anything there, so the host that takes a build checks all
/// of it: the order's signature, its database and expiry, and the library's bytes. Nothing is written to the
/// data folder before that.
struct RolloutGate: Sendable {
    let trust: TrustPolicy?
    /// The database that this host uses; see ``HostTable/identity()``.
    let database: String
    let now: Timestamp

    /// The order of a rollout, as its user signed it.
    ///
    /// - Throws: ``RolloutError`` with the reason why this host refuses the rollout.
    func order(of rollout: Rollout) throws(RolloutError) -> RolloutOrder {
        let what = "Rollout \(rollout.id)"
        try requirePolicy(what)
        guard let signed = rollout.order else {
            throw .refused(
                what, "it has no signed order, or one larger than \(RolloutOrder.sizeLimit) bytes")
        }
        try check(Array(signed.text.utf8), Array(signed.signature.utf8), "its order", what)
        let order: RolloutOrder
        do {
            order = try RolloutOrder(text: signed.text)
        } catch {
            throw .refused(what, "its order can't be read: \(ModuleError.message(of: error))", error)
        }
        guard order.database == database else { throw .refused(what, "its order is for another database") }
        try require(rollout, equals: order, what)
        return order
    }

    /// The columns are shown to users and read by other hosts: a difference means tampering.
    private func require(
        _ rollout: Rollout, equals order: RolloutOrder, _ what: String
    ) throws(RolloutError) {
        let fields = [
            ("module", rollout.module, order.module), ("version", rollout.version, "\(order.version)"),
            ("batch", "\(rollout.batch)", "\(order.batch)"),
            ("wait", rollout.wait.argumentText, order.wait.argumentText),
        ]
        for (name, shown, signed) in fields where shown != signed {
            let shown = TrustPolicy.printable(String(shown.prefix(100)))
            throw .refused(what, "its \(name) is '\(shown)', but its order says '\(signed)'")
        }
        guard order.libraries.isEmpty || order.libraries.contains(where: { $0.digest == rollout.digest })
        else { throw .refused(what, "its digest is not in its order") }
    }

    /// Checks that a host with a version of the module may begin.
    func requireStart(
        _ order: RolloutOrder, of rollout: Rollout, at present: SemanticVersion
    ) throws(RolloutError) {
        let what = "Rollout \(rollout.id)"
        guard order.from.contains(present) else {
            let versions = order.from.map(\.description).joined(separator: ", ")
            throw .refused(
                what,
                "its order is for hosts with \(versions.isEmpty ? "another version" : versions), "
                    + "but this one has \(present)")
        }
    }

    /// Checks that an order has not expired by the clock of this host: the server's is not trusted.
    func requireTime(_ order: RolloutOrder, of rollout: Rollout) throws(RolloutError) {
        guard now <= order.until else {
            throw .refused("Rollout \(rollout.id)", "its order expired at \(order.until)")
        }
    }

    // MARK: - Libraries

    /// Checks that a library from the database is a build of a module that this host may load.
    ///
    /// The digest is from the order, or of this host's previous build, for which the version is nil.
    func check(
        _ library: SharedLibrary, digest: String, of module: String, _ version: SemanticVersion?
    ) throws(RolloutError) {
        let what = "The library of module '\(module)' in the database"
        try requirePolicy(what)
        try check(library.bytes, is: digest, what)
        try check(library.bytes, library.signature, "it", what)
        let manifest: ModuleManifest
        do {
            let file = RandomAccessFile(content: library.bytes, path: "lib\(module).so")
            manifest = try DiscoveredLibrary(file).manifest
            try Compatibility.check(manifest)
        } catch {
            throw .refused(what, ModuleError.message(of: error), error)
        }
        guard manifest.name == module, version == nil || manifest.version == version else {
            throw .refused(
                what,
                "it is \(manifest.name) \(manifest.version), but \(module) "
                    + "\(version.map { "\($0)" } ?? "") is expected")
        }
        guard library.module == module, library.version == manifest.version,
            library.kind == SharedLibrary.Kind(manifest)
        else { throw .refused(what, "its row does not match its manifest") }
    }

    /// Checks that the contracts from the database are those that a checked library, or another one of them,
    /// asks for.
    ///
    /// The digests are from the order, or of this host's previous build.
    func checkContracts(of library: SharedLibrary, digests: [String]) throws(RolloutError) {
        var found: [ContractManifest] = []
        for (contract, digest) in zip(library.contracts, digests) {
            found.append(try check(contract, digest: digest, of: library.module))
        }
        let wanted: [Requirement]
        do {
            let file = RandomAccessFile(content: library.bytes, path: "lib\(library.module).so")
            wanted = try DiscoveredLibrary(file).manifest.contracts + found.flatMap(\.contracts)
        } catch {
            throw .refused(
                "The library of module '\(library.module)' in the database",
                ModuleError.message(of: error), error)
        }
        for manifest in found {
            let users = wanted.filter { $0.contractLibrary == manifest.libraryName }
            guard !users.isEmpty, users.allSatisfy({ $0.range.contains(manifest.version) }) else {
                let needed = users.isEmpty ? "no contract of this name" : "\(users[0])"
                throw .refused(
                    "A contract of module '\(library.module)' in the database",
                    "it is \(manifest.name) \(manifest.version), but \(needed) is needed")
            }
        }
    }

    private func check(
        _ contract: SharedLibrary.Contract, digest: String, of module: String
    ) throws(RolloutError) -> ContractManifest {
        let what = "A contract of module '\(module)' in the database"
        try check(contract.bytes, is: digest, what)
        try check(contract.bytes, contract.signature, "it", what)
        let manifest: ContractManifest
        do {
            let file = RandomAccessFile(content: contract.bytes, path: "contract")
            manifest = try DiscoveredContract(file).manifest
            try Compatibility.check(
                "Contract '\(manifest.name)'", sdk: manifest.sdk, inlinedLayout: manifest.inlinedLayout,
                compiler: manifest.compiler)
        } catch {
            throw .refused(what, ModuleError.message(of: error), error)
        }
        guard contract.name == manifest.libraryName, contract.version == manifest.version else {
            throw .refused(what, "its row does not match its manifest")
        }
        return manifest
    }

    private func check(_ bytes: [UInt8], is digest: String, _ what: String) throws(RolloutError) {
        let found = ContentDigest(of: bytes).description
        guard found == digest else {
            throw .refused(
                what, "its digest is \(found.prefix(16))…, but \(digest.prefix(16))… is expected")
        }
    }

    // MARK: - Signatures

    private func requirePolicy(_ what: String) throws(RolloutError) {
        guard trust?.policy == .signed else {
            throw .refused(
                what,
                "code from a database needs trust policy 'signed', but this host has "
                    + "'\(trust?.policy.rawValue ?? "any")'",
                hint: "\"trust\": { \"policy\": \"signed\", \"keys\": [\"…\"] } in modules.json")
        }
    }

    private func check(
        _ content: [UInt8], _ bytes: [UInt8], _ subject: String, _ what: String
    ) throws(RolloutError) {
        let signature: MinisignSignature
        do throws(MinisignError) {
            signature = try MinisignSignature(bytes)
        } catch {
            throw .refused(what, "\(subject) has no minisign signature: \(error.reason)", error)
        }
        let keys = trust?.keys ?? []
        let signers = keys.filter { $0.id == signature.keyID }
        guard !signers.isEmpty else {
            let trusted = keys.isEmpty ? "no key" : keys.map(\.id).joined(separator: " and ")
            throw .refused(
                what, "\(subject) is signed by key \(signature.keyID), but modules.json trusts \(trusted)")
        }
        let signed = signature.isOfDigest ? ContentDigest(of: content).bytes : content
        guard signers.contains(where: { signature.isValid(for: signed, by: $0) }) else {
            throw .refused(what, "\(subject) or its signature was changed after it was signed")
        }
        guard signers.contains(where: { signature.isCommentValid(by: $0) }) else {
            throw .refused(
                what, "the comment of \(subject == "it" ? "its" : "the order's") signature was changed")
        }
    }
}

extension RolloutError {
    static let refused: ErrorCode = "rolloutRefused"

    static func refused(
        _ what: String, _ reason: String, _ cause: (any Error)? = nil, hint: String? = nil
    ) -> RolloutError {
        let end = reason.hasSuffix(".") ? "" : "."
        return RolloutError(refused, "\(what) is refused: \(reason)\(end)", hint: hint, cause: cause)
    }
}
