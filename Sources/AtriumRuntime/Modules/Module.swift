@_spi(Host) internal import AtriumKit
package import AtriumManifest

/// A module that `modules.json` names.
@MainActor
package final class Module {
    /// The name that `modules.json` gives it.
    package let name: String
    package internal(set) var state: ModuleState = .discovered
    /// What its library says of itself; nil where that could not be read.
    package internal(set) var manifest: ModuleManifest?
    /// Where its library was found; nil where it was not.
    package internal(set) var path: String?
    /// The BLAKE2b digest of the library that was loaded.
    package internal(set) var digest: String?
    /// The patterns of its screens.
    package internal(set) var screens: [String] = []

    let configured: HostConfiguration.Module
    var file: RandomAccessFile?
    var instance: (any FeatureModule)?
    var scope: ModuleScope?

    init(_ configured: HostConfiguration.Module) {
        self.name = configured.name
        self.configured = configured
    }
}
