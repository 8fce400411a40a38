/// The file that a library's path leads to, with all links resolved.
package struct ResolvedPath: Sendable, Hashable {
    /// The path by which the library was opened.
    let path: String
    /// The real path of the opened file.
    package let resolved: String
    /// A sentence about a followed link, or a path that leaves the search folders; nil if the library is in
    /// one of them.
    ///
    /// A search folder that is a link itself needs no note: the configuration names it on purpose.
    let note: String?

    /// Asks the system for the path of the open file: a link that changes in the meantime has no effect.
    ///
    /// - Parameters:
    ///   - file: The opened library.
    ///   - searchFolders: Absolute paths.
    package init(of file: RandomAccessFile, searchFolders: [String]) {
        let (path, resolved) = (file.path, file.resolvedPath)
        let folders = searchFolders.map { ($0, real: FileSystem.realPath($0) ?? $0) }
        let isInside = folders.contains { Self.rest(of: resolved, in: $0.real) != nil }
        let outside = isInside ? "" : ", outside the search folders"
        let isStraight =
            path == resolved
            || folders.contains { folder, real in
                Self.rest(of: path, in: folder).map { (real == "/" ? "/" : "\(real)/") + $0 } == resolved
            }
        self.path = path
        self.resolved = resolved
        if FileSystem.linkTarget(path) != nil {
            note = "'\(path)' is a link to '\(resolved)'\(outside)."
        } else if !isStraight {
            note = "'\(path)' leads to '\(resolved)'\(outside)."
        } else {
            note = isInside ? nil : "'\(path)' is outside the search folders."
        }
    }

    /// The folder that was searched for the library and the one that contains it; once if they are the same.
    var folders: [String] {
        let folders = [FileSystem.folder(of: path), FileSystem.folder(of: resolved)]
        return folders[0] == folders[1] ? [folders[0]] : folders
    }

    /// The rest of a path after a folder; nil if the path is not in it.
    private static func rest(of path: String, in folder: String) -> String? {
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return path.hasPrefix(start) ? String(path.dropFirst(start.count)) : nil
    }
}
