internal import AtriumManifest

/// The changes by command that are kept for the next start of the host.
package struct InstalledModules: Codable, Hashable, Sendable {
    /// Modules that `modules.json` does not name.
    package var added: [Added] = []
    /// Modules that it names and that are not to be loaded.
    package var removed: [String] = []
    /// Modules that were rolled back: the build to load as long as the one that was left is at its path.
    package var rolledBack: [String: RolledBack] = [:]
    /// Whether libraries are watched, so that watching resumes after a crash.
    package var isWatching = false

    package struct Added: Codable, Hashable, Sendable {
        package let name: String
        /// A library that was installed from a repository is named as it is seen from the data folder: a backup
        /// may be restored to another place.
        package let path: String
        /// Of a module that modules.json names: the version there that it was upgraded from.
        ///
        /// The upgrade counts as long as that is the version there. Nil if modules.json does not name it.
        package var instead: String?

        func with(path: String) -> Added { Added(name: name, path: path, instead: instead) }
    }

    package struct RolledBack: Codable, Hashable, Sendable {
        package let digest: String
        /// The digest of the build that was left.
        package let instead: String
    }

    package init() {}
}

extension ModuleRuntime {
    /// Applies the changes of earlier processes, before the modules are started.
    func apply(_ installed: InstalledModules) {
        for module in modules where installed.removed.contains(module.name) {
            removed[module.name] = module.configured
        }
        modules.removeAll { installed.removed.contains($0.name) }
        for added in installed.added where module(added.name) != nil { upgrade(added) }
        for added in installed.added where module(added.name) == nil {
            let configuration = removed[added.name]?.configuration ?? []
            modules.append(
                Module(
                    .init(name: added.name, path: added.path, configuration: configuration), origin: .added))
        }
        for (name, build) in installed.rolledBack { module(name)?.rolledBack = build }
    }

    /// Replaces the library of a module that `modules.json` names by the one that it was upgraded to.
    private func upgrade(_ added: InstalledModules.Added) {
        guard let index = modules.firstIndex(where: { $0.name == added.name }), let instead = added.instead,
            instead == configuredVersion(of: added.name), FileSystem.exists(added.path)
        else { return }
        var configured = modules[index].configured
        configured.path = added.path
        modules[index] = Module(configured)
    }

    /// The version of a module's library where `modules.json` has it; nil if it can't be read.
    func configuredVersion(of name: String) -> String? {
        configuredLibrary(of: name).flatMap { try? reader.discover($0) }?.manifest.version.description
    }

    /// Whether `modules.json` names the very library of a module that was removed.
    func isAsConfigured(_ library: CheckedLibrary) -> Bool {
        configuredLibrary(of: library.name) == library.source
    }
}
