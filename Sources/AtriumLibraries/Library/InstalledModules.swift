package import AtriumKit

/// The changes made by command that are kept for the next start of the host.
package struct InstalledModules: Codable, Hashable, Sendable {
    package var added: [Added] = []
    /// Modules in `modules.json` that must not be loaded.
    package var removed: [String] = []
    /// Rolled-back modules: the build to load while the abandoned one is still at its path.
    package var rolledBack: [String: RolledBack] = [:]
    /// True if libraries are watched; lets watching resume after a crash.
    package var isWatching = false
    /// The folder of the repository that a library came from, by the digest of the library; nil in the file of an
    /// earlier host.
    package var origins: [String: String]?
    /// Removed modules, oldest first; nil in the file of an earlier host.
    package var former: [Former]?

    package struct Added: Codable, Hashable, Sendable {
        package let name: String
        /// The path of a library installed from a repository is relative to the data folder: a backup may be
        /// restored to another place.
        package var path: String
        /// For a module in modules.json: the version there that it was upgraded from.
        ///
        /// The upgrade applies while modules.json still has that version. Nil for any other module.
        package var instead: String?

        package init(name: String, path: String, instead: String? = nil) {
            (self.name, self.path, self.instead) = (name, path, instead)
        }

        package func with(path: String) -> Added {
            var added = self
            added.path = path
            return added
        }
    }

    package struct RolledBack: Codable, Hashable, Sendable {
        package let digest: String
        /// The digest of the abandoned build.
        package let instead: String

        package init(digest: String, instead: String) { (self.digest, self.instead) = (digest, instead) }
    }

    /// A removed module: what is said when its words are typed.
    package struct Former: Codable, Hashable, Sendable {
        package let name: String
        package let time: Timestamp
        /// The argument of `module add` that brings it back; nil if unknown.
        package let source: String?
        /// The patterns of its links.
        package let links: [String]
        package let commands: [String]

        package init(name: String, time: Timestamp, source: String?, links: [String], commands: [String]) {
            (self.name, self.time, self.source) = (name, time, source)
            (self.links, self.commands) = (links, commands)
        }
    }

    /// Records a removal; the oldest beyond 32 are forgotten.
    package mutating func note(_ removed: Former) {
        forget(removed.name)
        former = ((former ?? []) + [removed]).suffix(32)
    }

    /// Forgets the removal of a module that is back.
    package mutating func forget(_ name: String) {
        former?.removeAll { $0.name == name }
        if former?.isEmpty == true { former = nil }
    }

    package init() {}
}
