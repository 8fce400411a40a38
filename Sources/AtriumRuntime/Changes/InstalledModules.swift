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
        package let path: String
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
        for added in installed.added where module(added.name) == nil {
            let configuration = removed[added.name]?.configuration ?? []
            modules.append(
                Module(
                    .init(name: added.name, path: added.path, configuration: configuration), origin: .added))
        }
        for (name, build) in installed.rolledBack { module(name)?.rolledBack = build }
    }

    /// Whether `modules.json` names the very library of a module that was removed.
    func isAsConfigured(_ library: CheckedLibrary) -> Bool {
        guard configuredNames.contains(library.name) else { return false }
        let path = removed[library.name]?.path
        return (try? reader.locate(library.name, path: path)) == library.source
    }
}
