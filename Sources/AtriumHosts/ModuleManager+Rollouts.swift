internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumRepositories
internal import AtriumStorage

extension ModuleManager {
    /// The library that a rollout takes to the hosts: from the repositories, or else the one of this host.
    ///
    /// - Throws: ``RepositoryError`` or ``ModuleError`` if there is none in the range, or it is not signed.
    func libraryToRollOut(_ name: String, _ range: VersionRange) async throws -> SharedLibrary {
        guard runtime.reader.trust?.policy == .signed else {
            throw RolloutError(
                "rolloutUnsigned",
                "Only signed modules can be rolled out: code from a database needs trust policy 'signed'.",
                hint: "\"trust\": { \"policy\": \"signed\", \"keys\": [\"…\"] } in modules.json")
        }
        let module = try runtime.requireModule(name)
        if repositories.isConfigured {
            let catalog = try await catalog()
            let fitting = (catalog.offers[name] ?? []).filter {
                range.contains($0.version) && $0.misfit == nil
            }
            let newer = fitting.filter { $0.version > module.version }
            // Offer an older version only if the range excludes the present one: a downgrade is explicit.
            let offered = newer.isEmpty && !range.contains(module.version) ? fitting : newer
            if let offer = offered.first(where: { !$0.version.isPrerelease }) ?? offered.first {
                repositories.begin()
                defer { repositories.end(using: usedLibraries) }
                let path = try await repositories.bring(offer, runtime.reader)
                try await repositories.bringContracts(
                    runtime.libraries(at: [path])[0].manifest.contracts, of: path, for: offer, runtime.reader)
                var library = try await sharedLibrary(at: path)
                library.repository = offer.repository
                return library
            }
            // Don't fall back to this host's build if a repository can't be read.
            if let problem = catalog.problems.first { throw problem }
        }
        guard let current = module.current, range.description == "*" || range.contains(current.version) else {
            throw RolloutError(
                .notFound,
                "No repository has a version of module '\(name)' in \(range), and this host runs "
                    + "\(module.version).",
                hint: "module search \(name)")
        }
        return try await presentLibrary(of: module)
    }

    /// The library that this host runs, with its signature.
    func presentLibrary(of module: Module) async throws -> SharedLibrary {
        guard let library = module.current?.library else {
            throw RolloutError(.notFound, "Module '\(module.name)' is not active here.")
        }
        return try await sharedLibrary(at: library.source, digest: library.digest)
    }

    private func sharedLibrary(at path: String, digest: String? = nil) async throws -> SharedLibrary {
        let library = try await runtime.libraries(at: [path])[0]
        guard digest == nil || library.digest == digest else {
            throw RolloutError(
                "libraryReplaced", "'\(path)' was replaced since module '\(library.name)' was loaded.",
                hint: "module update \(library.name)")
        }
        let contracts = try await runtime.newestContracts(of: library)
        return try await runtime.reader.inBackground { _ in
            let (bytes, signature) = try Self.contents(of: path)
            var shared = SharedLibrary(
                digest: library.digest, module: library.name, version: library.version,
                kind: SharedLibrary.Kind(library.manifest), bytes: bytes, signature: signature)
            shared.contracts = try contracts.map { contract in
                let (bytes, signature) = try Self.contents(
                    of: FileSystem.realPath(contract.source) ?? contract.source)
                return SharedLibrary.Contract(
                    digest: contract.digest, name: contract.libraryName, version: contract.version,
                    bytes: bytes, signature: signature)
            }
            return shared
        }
    }

    /// The bytes of a library, and the signature beside it.
    private nonisolated static func contents(of path: String) throws -> (bytes: [UInt8], signature: [UInt8]) {
        let file = try RandomAccessFile(path)
        guard let bytes = try file.bytes(at: 0, count: file.size),
            let signature = try FileContents.readIfPresent(
                MinisignSignature.path(of: path), limit: MinisignSignature.sizeLimit)
        else { throw RolloutError("rolloutUnsigned", "'\(path)' or its signature can't be read.") }
        return (bytes, signature)
    }

    /// Updates a module to a library checked by ``RolloutGate``; it is copied, checked and tried as usual.
    func take(_ library: SharedLibrary) async throws {
        repositories.begin()
        defer { repositories.end(using: usedLibraries) }
        let path = try await repositories.keep(library, runtime.reader)
        let checked = try await runtime.libraries(at: [path])[0]
        guard checked.name == library.module, checked.digest == library.digest else {
            throw RolloutError(
                "libraryDiffers", "The library of module '\(library.module)' in the database is another one.")
        }
        var request = ChangeRequest(.rollout)
        request.updates = [checked]
        // The database does not know repositories: a library counts as from that of the build it replaces.
        request.origins[checked.digest] = library.repository ?? runtime.origin(of: checked)
        _ = try await change(request)
    }
}

extension Module {
    /// The loaded version, or the one that would be loaded.
    var version: SemanticVersion { current?.version ?? manifest?.version ?? .zero }
}

extension SemanticVersion {
    fileprivate static let zero = SemanticVersion(0, 0, 0)
}

extension RolloutError {
    /// No stored library fits this host, and it has none of its own.
    static func noLibrary(_ order: RolloutOrder, _ error: any Error) -> RolloutError {
        RolloutError(
            .notFound,
            "The order names no library of \(order.module) \(order.version) for \(SharedLibrary.machine), AtriumKit "
                + "\(SDKVersion.current) and Swift \(Compatibility.compiler), and this host has none: "
                + ModuleError.message(of: error),
            hint: "Put one in a repository of this host.", cause: error)
    }
}
