import Glibc

/// Where a file is to be: what links lead to, and what is there now.
struct FileDestination {
    /// The file itself, behind all links, also one that leads to nothing yet.
    let path: String
    /// The regular file that is there; nil where nothing is.
    let former: stat?

    /// How many links are followed, as many as the system follows.
    private static let linkLimit = 40

    /// Looks where a path leads.
    ///
    /// - Throws: ``EntityFileError`` for what is there and no regular file, or may not be written.
    init(_ path: String) throws(EntityFileError) {
        var (end, status) = (path, stat())
        for _ in 0...Self.linkLimit {
            guard lstat(end, &status) == 0 else {
                guard errno == ENOENT else { throw .unwritable(path, errno) }
                (self.path, former) = (end, nil)
                return
            }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                try Self.check(end, status, named: path)
                (self.path, former) = (end, status)
                return
            }
            end = try Self.target(of: end, named: path)
        }
        throw .unwritable(path, ELOOP)
    }

    /// The folder that the file is in.
    var folder: String { Self.folder(of: path) }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    private static func check(_ end: String, _ status: stat, named path: String) throws(EntityFileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .unwritable(path, "it is a folder")
        default: throw .unwritable(path, "it is not a regular file")
        }
        // To rename over it asks the folder alone, which is not what its owner meant.
        guard access(end, W_OK) == 0 else { throw .unwritable(path, errno) }
    }

    private static func target(of link: String, named path: String) throws(EntityFileError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, Int(PATH_MAX))
        guard count > 0 else { throw .unwritable(path, errno) }
        let target = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return target.hasPrefix("/") ? target : "\(folder(of: link))/\(target)"
    }
}
