import Foundation

/// The sources of a small module in a folder that is removed when this object is released.
final class ModuleSite {
    let folder: URL
    private let root: URL

    init() throws {
        root = try Project.temporaryFolder()
        folder = root.appending(path: "Small")
        try write(
            "module.json", #"{ "name": "Small", "version": "1.0.0", "entry": "Small", "summary": "None" }"#)
    }

    deinit {
        Project.remove(root)
    }

    func write(_ file: String, _ text: String) throws {
        let url = folder.appending(path: file)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    /// Writes a source file of `lines` lines with one declaration.
    func write(_ file: String, lines: Int) throws {
        let name = file.filter(\.isLetter)
        try write(file, "enum \(name) {}\n" + String(repeating: "//\n", count: lines - 1))
    }

    func remove(_ file: String) throws {
        try FileManager.default.removeItem(at: folder.appending(path: file))
    }
}
