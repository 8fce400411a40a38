/// What the build adds to a manifest and its author must not type.
public struct ManifestStamp: Sendable, Hashable {
    /// The AtriumKit that the module is built against.
    public let sdk: SemanticVersion

    /// The layout of what AtriumKit compiles into the module.
    public let inlinedLayout: Int

    /// The version of the Swift compiler that builds it, such as `6.3.1`.
    public let compiler: String

    /// Makes a stamp.
    public init(
        sdk: SemanticVersion = SDKVersion.current, inlinedLayout: Int = SDKVersion.inlinedLayout,
        compiler: String
    ) {
        self.sdk = sdk
        self.inlinedLayout = inlinedLayout
        self.compiler = compiler
    }

    /// The manifest that the library carries: the author's as compact JSON, without `$schema` and with the
    /// keys of the stamp.
    ///
    /// - Parameters:
    ///   - json: The bytes of a `module.json`.
    ///   - file: What messages call the file.
    /// - Returns: The manifest as it was read, and the JSON to embed, which `ModuleManifest` reads with
    ///   ``ModuleManifest/Form/embedded``.
    /// - Throws: ``ManifestError`` with everything that is wrong in the author's manifest.
    public func apply(
        to json: [UInt8], file: String
    ) throws(ManifestError) -> (manifest: ModuleManifest, embedded: String) {
        let manifest = try ModuleManifest(json: json, file: file, form: .authored)
        let root = try DocumentReader(json, file: file).root.value
        let kept = root.members.filter { $0.key != "$schema" }
        let members = kept.map(ManifestValue.Member.init)
        return (manifest, ManifestValue.object(members + stamps).json)
    }

    private var stamps: [ManifestValue.Member] {
        [
            ManifestValue.Member(key: "sdk", value: .string(sdk.description)),
            ManifestValue.Member(key: "inlinedLayout", value: .string(String(inlinedLayout))),
            ManifestValue.Member(key: "compiler", value: .string(compiler)),
        ]
    }
}
