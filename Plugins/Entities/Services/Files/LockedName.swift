import Glibc

/// Names of what is on its way: files and folders that their process has locked.
///
/// A lock ends with its process, however that ends. So what has such a name and no lock was left behind, and
/// goes when something is made beside it. No process id could say that: other machines and containers count
/// their own.
enum LockedName {
    enum Kind: String {
        case file = ".atrium-export-"
        case folder = "atrium-entities-"
    }

    /// Makes a file that nobody else has.
    ///
    /// - Returns: Its descriptor, for writing, and its path; nil where that fails, with `errno`.
    static func makeFile(in folder: String, _ mode: mode_t) -> (descriptor: CInt, path: String)? {
        while true {
            let path = newPath(in: folder, .file)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
            guard descriptor >= 0 || errno == EEXIST else { return nil }
            guard descriptor >= 0 else { continue }
            if lock(descriptor) { return (descriptor, path) }
            close(descriptor)
        }
    }

    /// Makes a folder that only its owner may enter.
    ///
    /// - Returns: Its descriptor, which holds the lock, and its path; nil where that fails, with `errno`.
    static func makeFolder(in folder: String) -> (descriptor: CInt, path: String)? {
        while true {
            let path = newPath(in: folder, .folder)
            if mkdir(path, 0o700) != 0 {
                guard errno == EEXIST else { return nil }
                continue
            }
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            // Somebody may have taken it for left behind, before it was locked.
            guard descriptor >= 0 || errno == ENOENT else { return nil }
            guard descriptor >= 0 else { continue }
            if lock(descriptor) { return (descriptor, path) }
            close(descriptor)
        }
    }

    /// Names a file that has no name.
    ///
    /// - Returns: The path; nil where that fails, with `errno`.
    static func give(to descriptor: CInt, in folder: String) -> String? {
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        while true {
            let path = newPath(in: folder, .file)
            if UnnamedFile.link(descriptor, to: path) { return path }
            guard errno == EEXIST else { return nil }
        }
    }

    /// Removes what processes left behind that are no more; the person's own only.
    ///
    /// What can't be removed stays, unreported.
    static func removeLeftovers(in folder: String, _ kind: Kind) {
        for name in FolderNames.of(folder) where name.hasPrefix(kind.rawValue) {
            remove("\(folder)/\(name)", kind)
        }
    }

    private static func remove(_ path: String, _ kind: Kind) {
        let type = kind == .folder ? O_DIRECTORY : O_NONBLOCK
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | type)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
            status.st_mode & S_IFMT == (kind == .folder ? S_IFDIR : S_IFREG),
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        guard kind == .folder else {
            unlink(path)
            return
        }
        FolderNames.removeFolder(path)
    }

    /// Locks what was made just now.
    ///
    /// - Returns: Whether it is still there. A file system without locks has nobody who would remove it.
    private static func lock(_ descriptor: CInt) -> Bool {
        var status = stat()
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    private static func newPath(in folder: String, _ kind: Kind) -> String {
        let number = String(UInt64.random(in: .min ... .max), radix: 36)
        return "\(folder)/\(kind.rawValue)\(number)"
    }
}
