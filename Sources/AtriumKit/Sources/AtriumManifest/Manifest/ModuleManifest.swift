/// What a feature module says about itself: a `module.json` that has been read and found valid.
public struct ModuleManifest: Sendable, Hashable {
    /// When a module is loaded.
    public enum Activation: String, Sendable, CaseIterable {
        /// With the host.
        case startup

        /// When one of its links, or an interface that it provides, is first wanted.
        case onDemand
    }

    /// Where a manifest comes from, which decides who writes ``sdk`` and ``compiler``.
    public enum Form: Sendable {
        /// A `module.json` as its author writes it, where they must not stand.
        case authored

        /// The manifest inside a library, where the build has added them.
        case embedded
    }

    /// The name of the module, as other modules require it.
    public let name: String

    /// The version of the module itself.
    public let version: SemanticVersion

    /// The class that conforms to `FeatureModule`.
    public let entry: String

    /// What the module is for, in one line.
    public let summary: String

    /// The modules that this one needs, in the order of the file.
    public let requires: [Requirement]

    /// When the module is loaded.
    public let activation: Activation

    /// The names of the types that the module registers for others.
    public let provides: [String]

    /// The screens that the module has, in the order of the file.
    public let screens: [ScreenDeclaration]

    /// The configuration that may be set for the module, in the order of the file.
    public let configuration: [ConfigurationDeclaration]

    /// The AtriumKit that the module was built against; `nil` in an authored manifest.
    public let sdk: SemanticVersion?

    /// The version of the Swift compiler that built the module, such as `6.3.1`; `nil` in an authored
    /// manifest.
    public let compiler: String?

    /// The layout of what AtriumKit compiled into the module; `nil` in an authored manifest, and in one that
    /// was stamped before layouts were counted.
    public let inlinedLayout: Int?

    /// Reads a manifest.
    ///
    /// - Parameters:
    ///   - json: The bytes of the file, or of the section of a library.
    ///   - file: What messages call the file.
    ///   - form: Whether the keys that the build stamps are required or refused.
    /// - Throws: ``ManifestError`` with everything that is wrong at once; only after a syntax error, which
    ///   hides the rest, there is a single finding.
    public init(json: [UInt8], file: String, form: Form = .embedded) throws(ManifestError) {
        var reader = try DocumentReader(json, file: file)
        (sdk, compiler) = reader.takeStamps(form)
        inlinedLayout = reader.takeLayout(form)
        reader.validate(against: .module)

        name = reader.text("name")
        version = reader.version(reader.root["version"], at: "version")
        entry = reader.text("entry")
        summary = reader.text("summary")
        requires = reader.requirements(of: name)
        activation = Activation(rawValue: reader.text("activation")) ?? .startup
        provides = reader.root["provides"]?.items.compactMap(\.text) ?? []
        screens = reader.screens()
        configuration = reader.configuration()
        try reader.finish()
    }
}
