@_spi(Host) internal import AtriumKit
package import AtriumManifest

/// A module that `modules.json` names, or that was added to the running host.
@MainActor
package final class Module {
    /// The name that `modules.json` gives it.
    package let name: String
    package internal(set) var state: ModuleState = .discovered
    /// The manifest in its library; nil if it could not be read.
    package internal(set) var manifest: ModuleManifest?
    /// Where its library was found; nil if it was not.
    package internal(set) var path: String?
    /// The library that was checked last; nil if none was.
    package internal(set) var library: CheckedLibrary?
    /// The generation that is registered; nil if none is.
    package internal(set) var current: Generation?
    /// The build that `module rollback` returns to.
    package internal(set) var previous: CheckedLibrary?
    /// The generations that left, oldest first, until they are drained.
    package internal(set) var retired: [RetiredGeneration] = []
    /// The libraries of the generations of which nothing else is left: digests, and bytes of address space.
    var drained: [(digest: String, mapped: Int)] = []
    /// Where it comes from.
    package let origin: Origin

    private(set) var configured: HostConfiguration.Module
    var discovered: DiscoveredLibrary?
    var generationCount = 0
    /// The build that it was rolled back to in an earlier process.
    var rolledBack: InstalledModules.RolledBack?
    /// Why it may not run; nil if it did no harm.
    var quarantine: CrashHistory.Quarantine?
    /// Whether it was active before, so that it returns as soon as it can.
    var wasActive = false

    /// Where a module comes from.
    package enum Origin: String, Sendable {
        /// `modules.json` names it.
        case configured
        /// It was added at the prompt, and comes back with the next start.
        case added
    }

    init(_ configured: HostConfiguration.Module, origin: Origin = .configured) {
        self.name = configured.name
        self.configured = configured
        self.origin = origin
        path = configured.path
    }

    /// Takes over what its next library says.
    func setLibrary(_ library: CheckedLibrary) {
        self.library = library
        manifest = library.manifest
        // Upgraded, or rolled back after that.
        if let path, path != library.source { configured.path = library.source }
        path = library.source
    }

    /// The BLAKE2b digest of the library that is loaded.
    package var digest: String? { current?.library.digest ?? library?.digest }

    /// The patterns of its screens.
    package var screens: [String] { current?.screens.map(\.pattern.description) ?? [] }

    /// Whether a person left it out of this start.
    package var isLeftOut: Bool { if case .leftOut = state { true } else { false } }
    package var isQuarantined: Bool { if case .quarantined = state { true } else { false } }

    /// Whether it is loaded on demand, and was not yet.
    package var isOnDemand: Bool {
        if case .resolved = state { manifest?.activation == .onDemand && current == nil } else { false }
    }
}
