import AtriumManifest
import AtriumStorage

/// The files of a new package: those of all templates in `Common`, and those of one template.
///
/// A file in both is the common one, with the template's contents in place of its `__MORE__`. A contract's template has all
/// its files itself.
struct PackageTemplate {
    private static let common = "Common"
    /// The placeholder for the module's name.
    private static let placeholder = "__NAME__"

    private let name: String
    private let sdk: String
    /// The text of each file, by its path.
    private let texts: [String: String]

    init(_ name: String, in sdk: String) throws {
        let names = (Folder.names(in: "\(sdk)/Templates") ?? []).filter {
            !$0.hasPrefix(".") && $0 != Self.common
        }
        guard names.contains(name) else { throw NewPackageError.noTemplate(name, names, sdk) }
        (self.name, self.sdk) = (name, sdk)
        let own = try Self.texts(in: "\(sdk)/Templates/\(name)")
        guard !Self.isContract(own) else {
            texts = own
            return
        }
        texts = try Self.texts(in: "\(sdk)/Templates/\(Self.common)").merging(own) { common, own in
            common.replacing("__MORE__\n", with: own)
        }
    }

    var isContract: Bool { Self.isContract(texts) }

    private static func isContract(_ texts: [String: String]) -> Bool {
        texts.keys.contains { $0.hasSuffix("/" + ContractManifest.fileName) }
    }

    /// True if modules made from it have screens.
    var hasScreens: Bool { texts.values.contains { $0.contains("__LINK__") } }

    /// The text of each file, by its path in the package.
    ///
    /// - Throws: ``NewPackageError`` if a type named after the module would clash with another one.
    func files(for module: String) throws -> [String: String] {
        try check(module)
        let filled = texts.map { (fill($0, module), fill($1, module)) }
        return Dictionary(uniqueKeysWithValues: filled)
    }

    /// A module's name as a link: `MyNotes` is `my-notes`, `URLThing` is `url-thing`.
    static func link(of module: String) -> String {
        module.replacing(/[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z]{2})/) { "\($0.output)-" }.lowercased()
    }

    private func fill(_ text: String, _ module: String) -> String {
        // Escaped for a string literal of Swift or JSON.
        let sdk = sdk.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return text.replacing(Self.placeholder, with: module)
            .replacing("__LINK__", with: Self.link(of: module)).replacing("__SDK__", with: sdk)
    }

    private static func texts(in folder: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        for name in Folder.names(in: folder) ?? [] {
            let path = "\(folder)/\(name)"
            guard FileStatus(of: path, followsLinks: false)?.kind == .folder else {
                texts[name] = String(decoding: try FileContents.read(path), as: UTF8.self)
                continue
            }
            for (inner, text) in try self.texts(in: path) { texts["\(name)/\(inner)"] = text }
        }
        return texts
    }

    // MARK: - Names of types

    /// Checks that no type name clashes with another one of the template or of the SDK.
    private func check(_ module: String) throws {
        let types = texts.values.flatMap(Self.types)
        let own = Set(types.filter { !$0.contains(Self.placeholder) })
        let interfaces = "\(sdk)/modules/AtriumKit.swiftmodule"
        let ofSDK = try (Folder.names(in: interfaces) ?? []).filter { $0.hasSuffix(".swiftinterface") }
            .flatMap {
                Self.types(in: String(decoding: try FileContents.read("\(interfaces)/\($0)"), as: UTF8.self))
            }
        for type in types.filter({ $0.contains(Self.placeholder) }).sorted() {
            let type = type.replacing(Self.placeholder, with: module)
            guard !own.contains(type) else {
                throw NewPackageError.ambiguous(module, type, "the template '\(name)'")
            }
            guard !ofSDK.contains(type) else { throw NewPackageError.ambiguous(module, type, "the SDK") }
        }
    }

    /// The names of the types that a file declares, without nested ones.
    private static func types(in text: String) -> [String] {
        let declaration =
            /^(?:[@a-z][A-Za-z_.]* )*(?:struct|class|enum|actor|protocol|typealias) (?<name>[A-Z_]\w*)/
        return text.matches(of: declaration.anchorsMatchLineEndings()).map { String($0.output.name) }
    }
}
