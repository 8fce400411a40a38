internal import AtriumKit
internal import AtriumStorage
internal import AtriumText
internal import Glibc

/// Finds transcripts.
enum TranscriptFiles {
    static let ending = ".transcript"

    /// True for a page in Markdown, by its name.
    static func isMarkdown(_ path: String) -> Bool {
        [".md", ".markdown"].contains(where: path.lowercased().hasSuffix)
    }

    /// True for a transcript, by its name.
    static func isTranscript(_ path: String) -> Bool { path.hasSuffix(ending) || isMarkdown(path) }

    /// Returns a file's path, or the paths of all transcripts in and below a folder, sorted.
    ///
    /// - Throws: ``ShellError`` with exit code 2 if a folder has none.
    static func find(_ path: String) throws(ShellError) -> [String] {
        guard FileStatus(of: path)?.kind == .folder else { return [path] }
        let folder = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let files = below(folder)
        guard !files.isEmpty else {
            throw ShellError(
                "noTranscripts", "The folder '\(path)' has no file whose name ends in '\(ending)'.",
                hint: "Name another folder, or the files.", category: .usage)
        }
        return files
    }

    /// The name of a transcript without folders and ending.
    static func name(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.hasSuffix(ending) ? String(name.dropLast(ending.count)) : name
    }

    private static func below(_ folder: String) -> [String] {
        guard let entries = Folder.names(in: folder) else { return [] }
        return entries.sorted().flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            // Following a link to a parent folder would never end.
            guard let status = FileStatus(of: path, followsLinks: false) else { return [] }
            if status.kind == .folder { return name.hasPrefix(".") ? [] : below(path) }
            return name.hasSuffix(ending) ? [path] : []
        }
    }

    /// An absolute path, which stays valid if this process changes its folder.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return path }
        defer { free(current) }
        return "\(String(cString: current))/\(path)"
    }
}
