internal import AtriumManifest

/// The changes made by command that are kept for the next start of the host.
package struct InstalledModules: Codable, Hashable, Sendable {
    package var added: [Added] = []
    /// Modules in `modules.json` that must not be loaded.
    package var removed: [String] = []
    /// Rolled-back modules: the build to load while the abandoned one is still at its path.
    package var rolledBack: [String: RolledBack] = [:]
    /// True if libraries are watched; lets watching resume after a crash.
    package var isWatching = false

    package struct Added: Codable, Hashable, Sendable {
        package let name: String
        /// The path of a library installed from a repository is relative to the data folder: a backup may be
        /// restored to another place.
        package let path: String
        /// For a module in modules.json: the version there that it was upgraded from.
        ///
        /// The upgrade applies while modules.json still has that version. Nil for any other module.
        package var instead: String?

        package init(name: String, path: String, instead: String? = nil) {
            (self.name, self.path, self.instead) = (name, path, instead)
        }

        package func with(path: String) -> Added { Added(name: name, path: path, instead: instead) }
    }

    package struct RolledBack: Codable, Hashable, Sendable {
        package let digest: String
        /// The digest of the abandoned build.
        package let instead: String

        package init(digest: String, instead: String) { (self.digest, self.instead) = (digest, instead) }
    }

    package init() {}
}
