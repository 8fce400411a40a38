/// Where a path to a library really leads, all links resolved.
struct ResolvedPath: Sendable, Hashable {
    /// The path by which the library was opened.
    let path: String
    /// Where the opened file is.
    let resolved: String
    /// A sentence about a link that was followed, or a path that leaves the search folders; nil where the
    /// library simply is in one of them.
    ///
    /// A search folder that is a link itself is nothing to tell: who named it meant where it leads.
    let note: String?

    /// Asks the system where an open file is, so that a link that changes meanwhile makes no difference.
    ///
    /// - Parameters:
    ///   - file: The opened library.
    ///   - searchFolders: Absolute paths.
    init(of file: RandomAccessFile, searchFolders: [String]) {
        self.init(
            file.path, resolved: file.resolvedPath, isLink: FileSystem.linkTarget(file.path) != nil,
            folders: searchFolders.map { ($0, FileSystem.realPath($0) ?? $0) })
    }

    /// Compares what the system has said.
    ///
    /// - Parameters:
    ///   - path: The path by which the library was opened.
    ///   - resolved: Where it is.
    ///   - isLink: Whether the last part of the path is a link.
    ///   - folders: The search folders, as they are written and as they really are.
    init(_ path: String, resolved: String, isLink: Bool, folders: [(written: String, real: String)]) {
        self.path = path
        self.resolved = resolved
        let isInside = folders.contains { Self.rest(of: resolved, in: $0.real) != nil }
        let isStraight =
            path == resolved
            || folders.contains { folder in
                Self.rest(of: path, in: folder.written).map { Self.join(folder.real, $0) } == resolved
            }
        note = Self.note(path, resolved, isLink: isLink, isStraight: isStraight, isInside: isInside)
    }

    /// The folder in which the library was looked for and the one in which it is, which may be the same.
    var folders: [String] {
        let folders = [FileSystem.folder(of: path), FileSystem.folder(of: resolved)]
        return folders[0] == folders[1] ? [folders[0]] : folders
    }

    private static func note(
        _ path: String, _ resolved: String, isLink: Bool, isStraight: Bool, isInside: Bool
    ) -> String? {
        let outside = isInside ? "" : ", outside the search folders"
        if isLink { return "'\(path)' is a link to '\(resolved)'\(outside)." }
        if !isStraight { return "'\(path)' leads to '\(resolved)'\(outside)." }
        return isInside ? nil : "'\(path)' is outside the search folders."
    }

    /// What follows a folder in a path; nil where the path is not in it.
    private static func rest(of path: String, in folder: String) -> String? {
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}
