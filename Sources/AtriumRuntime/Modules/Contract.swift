internal import AtriumManifest

/// What a library must have been built with in order to be loaded into this host.
enum Contract {
    /// Checks the stamps that the build put into the manifest.
    static func check(_ manifest: ModuleManifest) throws {
        let host = SDKVersion.current
        guard let sdk = manifest.sdk, sdk.major == host.major, sdk <= host else {
            throw ModuleError.otherSDK(
                manifest.name, built: manifest.sdk?.description ?? "of an unknown version",
                host: host.description)
        }
        guard manifest.inlinedLayout == SDKVersion.inlinedLayout else {
            throw ModuleError.otherLayout(
                manifest.name, built: manifest.inlinedLayout, host: SDKVersion.inlinedLayout)
        }
        guard let compiler = manifest.compiler, compiler == HostCompiler.version else {
            throw ModuleError.otherCompiler(
                manifest.name, built: manifest.compiler ?? "of an unknown version", host: HostCompiler.version
            )
        }
    }
}
