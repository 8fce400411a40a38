internal import AtriumLibraries
package import AtriumManifest
package import AtriumRepositories

/// A user's request to repositories.
package enum RepositoryCommand: Sendable {
    /// Installs a new module, with those that it requires.
    case install(String, VersionRange)
    /// Replaces modules by newer versions; without names, all that have newer versions.
    case upgrade([String])
}

extension ModuleManager {
    /// Reads the catalog of all repositories.
    ///
    /// - Throws: ``RepositoryError`` if none is configured; problems of single ones are in the catalog.
    package func catalog() async throws -> RepositoryCatalog {
        try runtime.renewTrust()
        return try await repositories.catalog(runtime.reader)
    }

    /// True if modules.json names repositories.
    package var hasRepositories: Bool { repositories.isConfigured }

    /// The names of the modules in the repositories that can be read, for completion.
    package var offeredNames: [String] { repositories.names(runtime.reader.trust) }

    /// The installed version of a module; nil if there is none.
    package func installedVersion(of name: String) -> SemanticVersion? {
        runtime.module(name).flatMap { $0.current?.version ?? $0.manifest?.version }
    }

    /// Plans a command; nothing is loaded or tried.
    package func plan(_ command: RepositoryCommand, from catalog: RepositoryCatalog) async throws
        -> ChangePlan
    {
        try await withLibraries(choose(command, from: catalog)) {
            $0.names.isEmpty ? ChangePlan() : try await runtime.plan(examined($0))
        }
    }

    /// Carries out a command completely or not at all, as ``run(_:)`` does with libraries named by paths.
    package func run(
        _ command: RepositoryCommand, from catalog: RepositoryCatalog, isConfirmed: Bool = true
    ) async throws -> ChangeReport {
        try await withLibraries(choose(command, from: catalog)) {
            try await change(examined($0, isConfirmed: isConfirmed))
        }
    }

    /// The command that takes a refused build from the repositories again; nil if it came from elsewhere.
    func repetition(of name: String, _ sources: [String]) -> RepositoryCommand? {
        guard let version = sources.last.flatMap({ repositories.version(ofLibrary: $0, name) }) else {
            return nil
        }
        return runtime.module(name) == nil ? .install(name, version) : .upgrade([name])
    }

    // MARK: - Choosing

    private var present: [VersionChooser.Version] {
        runtime.modules.compactMap { module in
            (module.current?.library.manifest ?? module.manifest).map(VersionChooser.Version.init)
        }
    }

    private func choose(
        _ command: RepositoryCommand, from catalog: RepositoryCatalog
    ) throws -> [RepositoryOffer] {
        var chooser = VersionChooser(present: present, offers: catalog.offers)
        switch command {
        case .install(let name, let range):
            guard runtime.module(name) == nil else {
                try requireInstalled(name, range)
                return []
            }
            guard catalog.offers[name] != nil else { throw RepositoryError.notOffered(name, catalog) }
            if let chosen = try chooser.install(name, range) { return chosen }
            let versions = (catalog.offers[name] ?? []).map(\.version.description).joined(separator: ", ")
            throw RepositoryError.cannotInstall(
                "Module '\(name)'\(range.description == "*" ? "" : " \(range)") can't be installed",
                chooser.reasons.isEmpty ? ["the repositories have \(versions)."] : chooser.reasons, catalog,
                hint: "module search \(name)")
        case .upgrade(let names):
            let modules = try names.map { try runtime.requireModule($0).name }
            let chosen = try chooser.upgrade(modules.isEmpty ? runtime.modules.map(\.name) : modules)
            for name in modules where !chosen.contains(where: { $0.name == name }) {
                guard let newest = catalog.newest(name) else {
                    throw RepositoryError.notOffered(name, catalog)
                }
                guard let here = installedVersion(of: name), newest.version > here,
                    !newest.version.isPrerelease
                else { continue }
                throw RepositoryError.cannotInstall(
                    "Module '\(name)' \(here) can't be upgraded", chooser.reasons, catalog,
                    hint: "module search \(name)")
            }
            return chosen
        }
    }

    /// - Throws: ``ModuleError`` if the installed version of a module is not in the range.
    private func requireInstalled(_ name: String, _ range: VersionRange) throws {
        let version = installedVersion(of: name)
        if let version, range.contains(version) || range.description == "*" { return }
        throw ModuleError(
            .alreadyThere,
            "There is a module '\(name)' already"
                + (version.map { ", and its version \($0) is not in \(range)." } ?? "."),
            hint: "module upgrade \(name), or module remove \(name) first.")
    }

    // MARK: - Libraries

    /// Copies and checks the chosen libraries, and runs `body` with the resulting change.
    private func withLibraries<Value>(
        _ offers: [RepositoryOffer], _ body: (ChangeRequest) async throws -> Value
    ) async throws -> Value {
        repositories.begin()
        defer { repositories.end(using: usedLibraries) }
        var request = ChangeRequest()
        for offer in offers {
            let path = try await repositories.bring(offer, runtime.reader)
            let library = try await runtime.libraries(at: [path])[0]
            try await repositories.bringContracts(
                library.manifest.contracts, of: path, for: offer, runtime.reader)
            request.origins[library.digest] = offer.repository
            guard library.name == offer.name, library.version == offer.version else {
                throw RepositoryError.otherContent(offer, "is \(library.name) \(library.version)")
            }
            if runtime.module(offer.name) == nil {
                request.additions.append(library)
            } else {
                request.updates.append(library)
            }
        }
        return try await body(request)
    }

    /// The libraries that modules are loaded from, now, after a rollback, or at the next start.
    package var usedLibraries: Set<String> {
        let modules = runtime.modules.flatMap {
            [$0.path, $0.library?.source, $0.current?.library.source, $0.previous?.source].compactMap { $0 }
        }
        return Set(modules + installed.added.map(\.path))
    }
}
