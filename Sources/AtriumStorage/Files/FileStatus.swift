internal import Glibc

/// The facts about the file, folder or anything else at a path.
package struct FileStatus {
    package enum Kind {
        case file, folder, link, pipe
        /// A device or a socket.
        case other
    }

    package let kind: Kind
    /// The number of bytes; 0 for files of the kernel.
    package let size: Int
    /// The number of hard links.
    package let linkCount: Int

    /// Asks the system; nil, with `errno`, if nothing is there or the answer is an error.
    package init?(of path: String, followsLinks: Bool = true) {
        var status = stat()
        guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        case S_IFIFO: kind = .pipe
        default: kind = .other
        }
        size = Int(status.st_size)
        linkCount = Int(status.st_nlink)
    }
}
