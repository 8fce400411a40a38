import Foundation

/// The sources of one target, and what the rules may expect of them.
struct CheckedTarget {
    /// Absolute, with symbolic links resolved, as the index has its paths.
    let folder: String
    let role: Role

    enum Role: Equatable {
        /// A feature module; `providesTransport` where its manifest says that it brings the HTTP transport.
        case module(providesTransport: Bool)
        /// The library that modules see.
        case sdk
        /// A part of the host.
        case host
    }

    var name: String { URL(filePath: folder).lastPathComponent }

    var isModule: Bool {
        if case .module = role { true } else { false }
    }

    /// A feature module; its manifest says what it provides.
    ///
    /// - Throws: ``CheckError`` where the folder or its manifest can't be read.
    static func module(_ path: String) throws -> CheckedTarget {
        let folder = try existing(path)
        let file = folder + "/module.json"
        guard let data = FileManager.default.contents(atPath: file) else { throw CheckError.noManifest(file) }
        do {
            let manifest = try JSONDecoder().decode(Manifest.self, from: data)
            let provides = manifest.provides ?? []
            return CheckedTarget(
                folder: folder, role: .module(providesTransport: provides.contains("HTTPTransport")))
        } catch {
            throw CheckError.badManifest(file)
        }
    }

    /// Code that is no feature module.
    static func other(_ path: String, role: Role) throws -> CheckedTarget {
        CheckedTarget(folder: try existing(path), role: role)
    }

    private static func existing(_ path: String) throws -> String {
        let folder = URL(filePath: path).resolvingSymlinksInPath().path
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
        else {
            throw CheckError.noFolder(path)
        }
        return folder
    }

    /// What of `module.json` matters here.
    private struct Manifest: Decodable {
        let provides: [String]?
    }
}
