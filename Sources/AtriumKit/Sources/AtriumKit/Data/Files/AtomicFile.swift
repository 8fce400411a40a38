internal import Glibc

/// A file that appears only once complete: readers see all of the old bytes or all of the new ones.
///
/// ```swift
/// let file = try AtomicFile("entities.csv", replaces: true)
/// try file.write(Array("name\n".utf8))
/// try file.finish()
/// ```
///
/// The file has no name before ``finish(synchronizing:)``, so a killed process leaves nothing. Only while it
/// replaces another file, and on file systems without unnamed files, it has a temporary name and a lock; the
/// next writer in that folder removes files with such a name and no lock.
public struct AtomicFile: ~Copyable {
    /// The path as it was given, for messages.
    private let name: String
    private let destination: FileDestination
    private let replaces: Bool
    /// The descriptor to write to; closed with this value.
    @_spi(Host) public let descriptor: CInt
    private var temporaryPath: String?

    /// Begins a file; links are followed, and a replaced file passes on its permissions.
    ///
    /// Throws ``FileError``: `fileExists` if there is one that may not be replaced, `fileUnwritable` or
    /// `diskFull`.
    public init(_ path: String, replaces: Bool) throws(FileError) {
        try self.init(path, replaces: replaces, isUnnamed: true)
    }

    /// Begins a file; if not `isUnnamed`, with a temporary name even if the file system supports unnamed
    /// files.
    init(_ path: String, replaces: Bool, isUnnamed: Bool) throws(FileError) {
        let destination = try FileDestination(path)
        guard replaces || destination.former == nil else { throw .exists(path) }
        TemporaryName.removeLeftovers(in: destination.folder, .file)
        let mode: mode_t = destination.former == nil ? 0o666 : 0o600
        try self.init(path, destination, replaces: replaces, mode, isUnnamed: isUnnamed)
    }

    /// Begins a file for its owner alone (mode 0600), which replaces a file or a link.
    @_spi(Host) public init(ofOwner path: String) throws(FileError) {
        let destination = FileDestination(path: path, former: nil)
        try self.init(path, destination, replaces: true, 0o600, isUnnamed: false)
    }

    private init(
        _ path: String, _ destination: FileDestination, replaces: Bool, _ mode: mode_t, isUnnamed: Bool
    ) throws(FileError) {
        var descriptor: CInt = -1
        var temporaryPath: String?
        if isUnnamed { descriptor = UnnamedFile.open(in: destination.folder, mode) }
        if descriptor < 0 {
            guard let file = TemporaryName.makeFile(in: destination.folder, mode) else {
                throw .unwritable(path, errno)
            }
            (descriptor, temporaryPath) = (file.descriptor, file.path)
        }
        (name, self.destination, self.replaces) = (path, destination, replaces)
        (self.descriptor, self.temporaryPath) = (descriptor, temporaryPath)
    }

    deinit {
        if let temporaryPath { unlink(temporaryPath) }
        close(descriptor)
    }

    /// Replaces a file, or a link, by `bytes` for its owner alone (mode 0600); a failure leaves the old one
    /// unchanged.
    ///
    /// `synchronizing` makes it survive a power failure. Call ``removeLeftovers(in:)`` to clean up after
    /// killed writers.
    public static func write(
        _ bytes: [UInt8], to path: String, synchronizing: Bool = true
    ) throws(FileError) {
        let file = try AtomicFile(ofOwner: path)
        try file.write(bytes)
        try file.finish(synchronizing: synchronizing)
    }

    /// Removes the leftovers of killed writers in a folder: regular files of this user with a temporary name
    /// and without a lock.
    public static func removeLeftovers(in folder: String) {
        TemporaryName.removeLeftovers(in: folder, .file)
    }

    /// Appends bytes.
    public func write(_ bytes: [UInt8]) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { rest in
                Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw .unwritable(name, errno)
            }
        }
    }

    /// Gives the file its name; `synchronizing` makes it survive a power failure.
    ///
    /// Throws ``FileError``, with code `fileExists` if a file has appeared meanwhile; that file then stays. If
    /// only the folder can't be synchronized, the file has its name nevertheless.
    public consuming func finish(synchronizing: Bool = true) throws(FileError) {
        if let former = destination.former {
            // Only privileged users may give files away; otherwise only the group is set.
            if fchown(descriptor, former.st_uid, former.st_gid) != 0 {
                fchown(descriptor, uid_t.max, former.st_gid)
            }
            fchmod(descriptor, former.st_mode & 0o7777)
        }
        guard synchronizing else { return try giveName() }
        guard fsync(descriptor) == 0 else { throw .unwritable(name, errno) }
        // Opened first, so that without a descriptor the old file stays.
        let folder = open(destination.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be written but not read takes files, and can't be synchronized.
        guard folder >= 0 || errno == EACCES else { throw .unwritable(name, errno) }
        defer { if folder >= 0 { close(folder) } }
        try giveName()
        if folder >= 0 { try synchronize(folder) }
    }

    private mutating func giveName() throws(FileError) {
        if replaces { try replace() } else { try link() }
    }

    private mutating func replace() throws(FileError) {
        if temporaryPath == nil {
            temporaryPath = TemporaryName.give(to: descriptor, in: destination.folder)
        }
        guard let temporaryPath, rename(temporaryPath, destination.path) == 0 else {
            throw .unwritable(name, errno)
        }
        self.temporaryPath = nil
    }

    private mutating func link() throws(FileError) {
        guard let temporaryPath else {
            guard UnnamedFile.link(descriptor, to: destination.path) else { throw failure() }
            return
        }
        if Glibc.link(temporaryPath, destination.path) == 0 { return }
        guard errno != EEXIST else { throw failure() }
        // The file system has no hard links: an empty file reserves the name.
        let placeholder = open(destination.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard placeholder >= 0 else { throw failure() }
        close(placeholder)
        guard rename(temporaryPath, destination.path) == 0 else {
            let failure = failure()
            unlink(destination.path)
            throw failure
        }
        self.temporaryPath = nil
    }

    private func failure() -> FileError {
        errno == EEXIST ? .exists(name) : .unwritable(name, errno)
    }

    /// Synchronizes the folder, so that the file keeps its name after a power failure.
    ///
    /// Ignores the errors by which a file system says that it can't synchronize a folder (fsync(2)).
    private func synchronize(_ folder: CInt) throws(FileError) {
        if fsync(folder) != 0, ![EINVAL, EROFS, ENOTSUP].contains(errno) { throw .unwritable(name, errno) }
    }
}

/// The place of a file: the target of all links, and the file that is there now.
struct FileDestination {
    let path: String
    /// The regular file that exists; nil if there is none.
    let former: stat?

    /// The most links that are followed, the same as the system's.
    private static let linkLimit = 40

    init(path: String, former: stat?) {
        (self.path, self.former) = (path, former)
    }

    /// Follows the links of a path to a regular file that may be written, or to none.
    init(_ path: String) throws(FileError) {
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

    var folder: String { Self.folder(of: path) }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    private static func check(_ end: String, _ status: stat, named path: String) throws(FileError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .unwritable(path, "it is a folder")
        default: throw .unwritable(path, "it is not a regular file")
        }
        // A rename checks the folder's permissions only, not those of the file that it replaces.
        guard access(end, W_OK) == 0 else { throw .unwritable(path, errno) }
    }

    private static func target(of link: String, named path: String) throws(FileError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, Int(PATH_MAX))
        guard count > 0 else { throw .unwritable(path, errno) }
        let target = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return target.hasPrefix("/") ? target : "\(folder(of: link))/\(target)"
    }
}

/// Files without a name, which the system removes with the last descriptor (Linux).
enum UnnamedFile {
    /// `O_TMPFILE` of open(2); a macro that Swift does not import.
    private static let temporaryFile: CInt = 0o20_000_000 | O_DIRECTORY

    /// Creates a file for writing; below 0 if that fails, or if the file could not be named later.
    static func open(in folder: String, _ mode: mode_t) -> CInt {
        guard access("/proc/self/fd", X_OK) == 0 else { return -1 }
        return Glibc.open(folder, temporaryFile | O_WRONLY | O_CLOEXEC, mode)
    }

    /// Gives a file its first name; if the name is taken, `errno` is EEXIST.
    static func link(_ descriptor: CInt, to path: String) -> Bool {
        linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }
}
