/// What was changed at the prompt and is to be there again when the host starts the next time.
package struct InstalledModules: Codable, Hashable, Sendable {
    /// Modules that `modules.json` does not name.
    package var added: [Added] = []
    /// Modules that it names and that are not to be loaded.
    package var removed: [String] = []
    /// Modules that were rolled back: the build to load as long as the one that was left lies at its path.
    package var rolledBack: [String: RolledBack] = [:]
    /// Whether libraries are watched, so that this goes on after a crash.
    package var isWatching = false

    /// A module that was added.
    package struct Added: Codable, Hashable, Sendable {
        package let name: String
        package let path: String
    }

    /// A build that was returned to.
    package struct RolledBack: Codable, Hashable, Sendable {
        /// The digest of the build to load.
        package let digest: String
        /// The digest of the build that was left.
        package let instead: String
    }

    package init() {}
}
