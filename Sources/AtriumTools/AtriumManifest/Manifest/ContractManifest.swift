/// A contract's description of itself: a valid `contract.json`.
///
/// A contract is a dynamic library of protocols and values that modules share. Its name and major version are
/// in its SONAME: libraries of one SONAME replace each other, those of two stand side by side.
public struct ContractManifest: Sendable, Hashable {
    /// The name by which modules refer to it, and that of its Swift module.
    public let name: String
    /// Its version; the minor one grows with what is added.
    public let version: SemanticVersion
    /// Its purpose, in one line for users.
    public let summary: String
    /// The contracts that it is built on itself.
    public let contracts: [Requirement]
    /// The stamps of the build, as in ``ModuleManifest``.
    public let sdk: SemanticVersion?
    public let compiler: String?
    public let inlinedLayout: Int?

    /// The name of its file beside the sources.
    public static let fileName = "contract.json"

    /// Reads a manifest.
    public init(json: [UInt8], file: String, form: ModuleManifest.Form = .embedded) throws(ManifestError) {
        var reader = try DocumentReader(json, file: file)
        let root = reader.root
        sdk = reader.stamp("sdk", form).map { reader.version($0) }
        compiler = reader.stamp("compiler", form)?.value.text
        inlinedLayout = reader.inlinedLayout(form)
        reader.checkObject(
            root, keys: ["name", "version", "summary", "contracts"],
            required: ["name", "version", "summary"],
            ignored: ["sdk", "compiler", "inlinedLayout"])
        name = reader.text(root["name"], .moduleName) ?? ""
        version = reader.version(root["version"], .semanticVersion)
        summary = reader.text(root["summary"], .line) ?? ""
        contracts = reader.contracts(root["contracts"], of: name)
        try reader.finish()
    }

    /// Reads an author's manifest, and adds the build's stamps.
    ///
    /// - Returns: The JSON to embed.
    /// - Throws: ``ManifestError`` with all problems in the author's manifest.
    public static func stamped(
        _ json: [UInt8], file: String, compiler: String
    ) throws(ManifestError) -> String {
        _ = try ContractManifest(json: json, file: file, form: .authored)
        guard case .object(let members) = try DocumentReader(json, file: file).root.value.plain else {
            return "{}"
        }
        return ManifestValue.object(members + ModuleManifest.stamps(compiler: compiler)).json
    }

    /// The SONAME of a contract's library, such as `libPayments.so.1`.
    public static func libraryName(_ contract: String, major: Int) -> String { "lib\(contract).so.\(major)" }

    /// The SONAME that its library has to have.
    public var libraryName: String { Self.libraryName(name, major: version.major) }
}

extension Requirement {
    /// The SONAME of the contract that is needed.
    public var contractLibrary: String { ContractManifest.libraryName(name, major: range.major ?? 0) }
}
