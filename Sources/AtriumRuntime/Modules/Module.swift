@_spi(Host) public import AtriumKit
public import AtriumManifest

/// A module that `modules.json` names.
@MainActor
public final class Module {
    /// The name that `modules.json` gives it.
    public let name: String
    public internal(set) var state: ModuleState = .discovered
    /// What its library says of itself; nil where that could not be read.
    public internal(set) var manifest: ModuleManifest?
    /// Where its library was found; nil where it was not.
    public internal(set) var path: String?
    /// The BLAKE2b digest of the library that was loaded.
    public internal(set) var digest: String?
    /// The patterns of its screens.
    public internal(set) var screens: [String] = []

    let configured: HostConfiguration.Module
    var file: RandomAccessFile?
    var instance: (any FeatureModule)?
    var scope: ModuleScope?

    init(_ configured: HostConfiguration.Module) {
        self.name = configured.name
        self.configured = configured
    }
}
