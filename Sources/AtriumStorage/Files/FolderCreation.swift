internal import Glibc

/// Making folders that only their owner can enter.
enum FolderCreation {
    /// Creates the folder with mode 0700, and in the same way each missing folder above it.
    ///
    /// - Returns: Whether the last folder is new; false where it is there already, whatever it is.
    @discardableResult
    static func create(_ path: String) throws(SystemError) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        let error = SystemError.current
        if error.number == EEXIST { return false }
        guard error.number == ENOENT, let parent = parent(of: path) else { throw error }
        try create(parent)
        guard mkdir(path, 0o700) != 0 else { return true }
        // Another process may have made it between the two attempts.
        guard errno == EEXIST else { throw .current }
        return false
    }

    /// The folder that holds `path`; nil where nothing is left of it.
    static func parent(of path: String) -> String? {
        let trimmed = trimmingSlashes(path[...])
        guard let slash = trimmed.lastIndex(of: "/") else { return nil }
        let parent = trimmingSlashes(trimmed[..<slash])
        return parent.isEmpty ? nil : String(parent)
    }

    private static func trimmingSlashes(_ path: Substring) -> Substring {
        var path = path
        while path.last == "/" { path.removeLast() }
        return path
    }
}
