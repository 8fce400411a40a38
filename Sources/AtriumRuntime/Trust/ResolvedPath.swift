internal import Glibc

/// The file to which the path of a library leads, with all links resolved.
struct ResolvedPath: Sendable, Hashable {
    /// The path by which the library was opened.
    let path: String
    /// The real path of the opened file.
    let resolved: String
    /// A sentence about a link that was followed, or a path that leaves the search folders; nil if the library
    /// is in one of them.
    ///
    /// A search folder that is a link itself needs no note: the configuration names it on purpose.
    let note: String?

    /// Asks the system for the path of the open file: a link that changes meanwhile makes no difference.
    ///
    /// - Parameters:
    ///   - file: The opened library.
    ///   - searchFolders: Absolute paths.
    init(of file: RandomAccessFile, searchFolders: [String]) {
        self.init(
            file.path, resolved: file.resolvedPath, isLink: FileSystem.linkTarget(file.path) != nil,
            folders: searchFolders.map { ($0, FileSystem.realPath($0) ?? $0) })
    }

    /// - Parameters:
    ///   - path: The path by which the library was opened.
    ///   - resolved: The real path of the library.
    ///   - isLink: Whether the last part of the path is a link.
    ///   - folders: The search folders, as written and with links resolved.
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

    /// The folder in which the library was searched for and the one in which it is; once if they are the same.
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

    /// The rest of a path after a folder; nil if the path is not in it.
    private static func rest(of path: String, in folder: String) -> String? {
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }
}

extension FileSystem {
    /// The path without links and dots; nil if it does not exist.
    static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The folder that holds what `path` names.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
