internal import Glibc

/// A folder for temporary files, for its owner alone, removed with its content; leftovers of killed processes
/// are removed when the next one is created.
public struct ScratchFolder: ~Copyable {
    /// The path of the folder, which is removed with this value.
    @_spi(Host) public let path: String
    /// The lock that marks the folder as in use.
    private let descriptor: CInt

    /// The default parent of scratch folders: `$TMPDIR`, else `/tmp`.
    public static var standardParent: String {
        guard let path = getenv("TMPDIR").map({ String(cString: $0) }), !path.isEmpty else { return "/tmp" }
        return path
    }

    /// Creates a folder with mode 0700; throws ``FileError``.
    public init(in parent: String = standardParent) throws(FileError) {
        TemporaryName.removeLeftovers(in: parent, .folder)
        guard let made = TemporaryName.makeFolder(in: parent) else { throw .unwritable(parent, errno) }
        (path, descriptor) = (made.path, made.descriptor)
    }

    deinit {
        TemporaryName.removeFolder(path)
        close(descriptor)
    }

    /// Returns the path of a file in the folder.
    public func path(_ name: String) -> String { "\(path)/\(name)" }
}

/// Names of unfinished files and folders, which their process has locked.
///
/// A lock ends with its process, so anything with such a name and no lock is a leftover. Process ids can't
/// show that: other machines and containers have their own.
enum TemporaryName {
    enum Kind: String {
        case file = ".atrium-new-"
        case folder = "atrium-scratch-"
    }

    /// Creates a locked file for writing; nil if that fails, with `errno`.
    static func makeFile(in folder: String, _ mode: mode_t) -> (descriptor: CInt, path: String)? {
        make(.file, in: folder) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode) }
    }

    /// Creates a locked folder that only its owner may enter; nil if that fails, with `errno`.
    static func makeFolder(in folder: String) -> (descriptor: CInt, path: String)? {
        make(.folder, in: folder) { path in
            guard mkdir(path, 0o700) == 0 else { return -1 }
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
            // Another process may have removed it as a leftover before it was locked.
            if descriptor < 0, errno == ENOENT { errno = EEXIST }
            return descriptor
        }
    }

    /// Tries new names until `create` finds none that exists.
    private static func make(
        _ kind: Kind, in folder: String, create: (String) -> CInt
    ) -> (descriptor: CInt, path: String)? {
        while true {
            let path = newPath(in: folder, kind)
            let descriptor = create(path)
            if descriptor >= 0 {
                if lock(descriptor) { return (descriptor, path) }
                close(descriptor)
            } else if errno != EEXIST {
                return nil
            }
        }
    }

    /// Gives an unnamed file a temporary name; nil if that fails, with `errno`.
    static func give(to descriptor: CInt, in folder: String) -> String? {
        _ = flock(descriptor, LOCK_EX | LOCK_NB)
        while true {
            let path = newPath(in: folder, .file)
            if UnnamedFile.link(descriptor, to: path) { return path }
            guard errno == EEXIST else { return nil }
        }
    }

    /// Removes leftovers of this user; those that can't be removed stay, unreported.
    static func removeLeftovers(in folder: String, _ kind: Kind) {
        for name in names(in: folder) where name.hasPrefix(kind.rawValue) {
            remove("\(folder)/\(name)", kind)
        }
    }

    static func removeFolder(_ path: String) {
        for name in names(in: path) where unlink("\(path)/\(name)") != 0 && errno == EISDIR {
            removeFolder("\(path)/\(name)")
        }
        rmdir(path)
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
        removeFolder(path)
    }

    private static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }
    }

    /// Locks a new file or folder, and returns whether it still exists; where locks fail, no process would
    /// remove it.
    private static func lock(_ descriptor: CInt) -> Bool {
        var status = stat()
        while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        return fstat(descriptor, &status) == 0 && status.st_nlink > 0
    }

    private static func newPath(in folder: String, _ kind: Kind) -> String {
        "\(folder)/\(kind.rawValue)\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }
}
