import AtriumKit
import AtriumManifest
import AtriumStorage

/// The files of a new package: those of all templates in `Common`, and those of one template.
///
/// A file that both have is the common one, with the template's for its `__MORE__`.
struct PackageTemplate {
    private static let common = "Common"

    private let name: String
    private let sdk: String

    init(_ name: String, in sdk: String) throws {
        let names = (FileSystem.names(in: "\(sdk)/Templates") ?? []).filter {
            !$0.hasPrefix(".") && $0 != Self.common
        }
        guard names.contains(name) else { throw NewPackageError.noTemplate(name, names, sdk) }
        (self.name, self.sdk) = (name, sdk)
    }

    /// The text of each file, by its path in the package.
    ///
    /// - Throws: ``NewPackageError`` if a type that is named after the module would have the name of another one.
    func files(for module: String) throws -> [String: String] {
        var files = try Self.texts(in: "\(sdk)/Templates/\(Self.common)")
        files.merge(try Self.texts(in: "\(sdk)/Templates/\(name)")) { common, own in
            common.replacing("__MORE__\n", with: own)
        }
        try check(module, files.values)
        let placeholders = Placeholders(name: module, sdk: sdk)
        let filled = files.map { (placeholders.filled($0), placeholders.filled($1)) }
        return Dictionary(uniqueKeysWithValues: filled)
    }

    private static func texts(in folder: String) throws -> [String: String] {
        var texts: [String: String] = [:]
        for name in FileSystem.names(in: folder) ?? [] {
            let path = "\(folder)/\(name)"
            guard FileSystem.isFolder(path) else {
                texts[name] = String(decoding: try FileContents.read(path), as: UTF8.self)
                continue
            }
            for (inner, text) in try self.texts(in: path) { texts["\(name)/\(inner)"] = text }
        }
        return texts
    }

    // MARK: - Names of types

    /// Checks that no type is named like another one of the template, or of the SDK.
    private func check(_ module: String, _ texts: some Sequence<String>) throws {
        let types = texts.flatMap(Self.types)
        let own = Set(types.filter { !$0.contains(Placeholders.name) })
        let interfaces = "\(sdk)/modules/AtriumKit.swiftmodule"
        let ofSDK = try (FileSystem.names(in: interfaces) ?? []).filter { $0.hasSuffix(".swiftinterface") }
            .flatMap {
                Self.types(in: String(decoding: try FileContents.read("\(interfaces)/\($0)"), as: UTF8.self))
            }
        for type in types.filter({ $0.contains(Placeholders.name) }) {
            let type = type.replacing(Placeholders.name, with: module)
            guard !own.contains(type) else {
                throw NewPackageError.ambiguous(module, type, "the template '\(name)'")
            }
            guard !ofSDK.contains(type) else { throw NewPackageError.ambiguous(module, type, "the SDK") }
        }
    }

    /// The names of the types that a file declares, without those inside of others.
    private static func types(in text: String) -> [String] {
        let declaration =
            /^(?:[@a-z][A-Za-z_.]* )*(?:struct|class|enum|actor|protocol|typealias) (?<name>[A-Z_]\w*)/
        return text.matches(of: declaration.anchorsMatchLineEndings()).map { String($0.output.name) }
    }
}

/// What stands in a template for what only its user knows.
private struct Placeholders {
    static let name = "__NAME__"

    let name: String
    /// As it is written in a string of Swift and of JSON.
    let sdk: String
    /// The name as a part of a link: `MyNotes` is `my-notes`.
    let link: String

    init(name: String, sdk: String) {
        self.name = name
        self.sdk = sdk.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        link = name.replacing(/[a-z0-9](?=[A-Z])/) { "\($0.output)-" }.lowercased()
    }

    func filled(_ text: String) -> String {
        text.replacing(Self.name, with: name).replacing("__LINK__", with: link)
            .replacing("__SDK__", with: sdk)
    }
}
