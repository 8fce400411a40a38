internal import AtriumCrash
@_spi(Host) internal import AtriumKit
package import AtriumLibraries
package import AtriumManifest

/// A module in `modules.json`, or one that was added to the running host.
@MainActor
package final class Module {
    /// Its name in `modules.json`.
    package let name: String
    package internal(set) var state: ModuleState = .discovered
    /// The manifest in its library; nil if it could not be read.
    package internal(set) var manifest: ModuleManifest?
    /// The path of its library; nil if none was found.
    package internal(set) var path: String?
    /// The library that was checked last; nil if none was.
    package internal(set) var library: CheckedLibrary?
    /// The generation that is registered; nil if none is.
    package internal(set) var current: Generation?
    /// The build that `module rollback` returns to.
    package internal(set) var previous: CheckedLibrary?
    /// The digests of the builds before, newest first.
    var older: [StoredLibrary] = []
    /// More are removed from the store.
    static let olderCount = 3
    /// The former generations, oldest first, until they are drained.
    package internal(set) var retired: [RetiredGeneration] = []
    /// The digests and address space, in bytes, of the libraries of drained generations.
    var drained: [(digest: String, mapped: Int)] = []
    /// The module's origin.
    package let origin: Origin
    /// True if the path of its library is in `installed.json`, not in `modules.json`.
    private let isInstalled: Bool

    private(set) var configured: HostConfiguration.Module
    var discovered: DiscoveredLibrary?
    var generationCount = 0
    /// The build that it was rolled back to in an earlier process.
    var rolledBack: InstalledModules.RolledBack?
    /// The reason why it may not run; nil if it is not quarantined.
    var quarantine: CrashHistory.Quarantine?
    /// True if it was active before, so that it returns once it can.
    var wasActive = false

    /// The reason why the library at its path was refused, while a former build runs instead.
    var refusal: (any ExplainedError)?

    package enum Origin: String, Sendable {
        /// The module is in `modules.json`.
        case configured
        /// It was added by command, and returns at the next start.
        case added
    }

    init(_ configured: HostConfiguration.Module, origin: Origin = .configured, isUpgraded: Bool = false) {
        self.name = configured.name
        isInstalled = origin == .added || isUpgraded
        self.configured = configured
        self.origin = origin
        path = configured.path
    }

    /// The error for another module's library at its path.
    func otherName(_ found: String, at path: String) -> ModuleError {
        .otherName(
            path, expected: name, in: isInstalled ? "the data folder's installed.json" : "modules.json",
            found: found)
    }

    /// The error for a library that can't be read, with a hint about what names its path.
    func unreadable(_ error: ModuleError) -> ModuleError {
        guard configured.path != nil else { return error }
        let hint =
            switch (isInstalled, origin) {
            case (false, _): "Correct the \"path\" of \(name) in modules.json."
            case (true, .added): "Bring the library back, or: module remove \(name)"
            case (true, .configured): "Bring the library back, or: module update \(name)"
            }
        return ModuleError(error.code, error.message, hint: hint, cause: error.cause)
    }

    /// Sets its next library and takes over the manifest.
    func setLibrary(_ library: CheckedLibrary) {
        self.library = library
        refusal = nil
        manifest = library.manifest
        // The module was upgraded, or rolled back after that.
        if let path, path != library.source { configured.path = library.source }
        path = library.source
    }

    /// The BLAKE2b digest of the loaded library.
    package var digest: String? { current?.library.digest ?? library?.digest }

    /// True if the user left it out of this start.
    package var isLeftOut: Bool { if case .leftOut = state { true } else { false } }
    package var isQuarantined: Bool { if case .quarantined = state { true } else { false } }

    /// True if it is loaded on demand and not loaded yet.
    package var isOnDemand: Bool {
        if case .resolved = state { manifest?.activation == .onDemand && current == nil } else { false }
    }
}
