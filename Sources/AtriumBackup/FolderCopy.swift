internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// Keeps copies of a data folder and exchanges of its files apart, across processes, until ``end()``.
struct FolderAccess {
    private let descriptor: CInt

    private init(_ descriptor: CInt) { self.descriptor = descriptor }

    /// Waits until no exchange runs, and keeps others out; several copies may run at once.
    static func copying(_ folder: String) throws(BackupError) -> FolderAccess {
        try wait(for: LOCK_SH, folder)
    }

    /// Waits until no copy and no other exchange runs.
    static func waiting(_ folder: String) throws(BackupError) -> FolderAccess {
        try wait(for: LOCK_EX, folder)
    }

    private static func wait(for lock: CInt, _ folder: String) throws(BackupError) -> FolderAccess {
        let access = FolderAccess(try open(folder))
        while flock(access.descriptor, lock) != 0 {
            // A file system without locks keeps nothing apart.
            if errno != EINTR { break }
        }
        return access
    }

    /// Nil, without waiting, if a copy or an exchange runs.
    static func exchanging(_ folder: String) throws(BackupError) -> FolderAccess? {
        let access = FolderAccess(try open(folder))
        if flock(access.descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return access }
        access.end()
        return nil
    }

    private static func open(_ folder: String) throws(BackupError) -> CInt {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(folder) }
        return descriptor
    }

    /// Writes the names in the folder to the disk.
    func synchronize() { fsync(descriptor) }

    func end() { close(descriptor) }
}

/// Copies files with their permissions.
enum FileCopy {
    private static let partSize = 1 << 20

    /// Copies a file into a new one, creating the folders above it; a source that was removed is left out.
    ///
    /// - Returns: The size; 0 for a removed file.
    @discardableResult
    static func make(_ source: String, _ target: String, synchronizing: Bool) throws -> Int {
        let input = open(source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard input >= 0 else {
            if errno == ENOENT { return 0 }
            throw BackupError.unreadable(source)
        }
        defer { close(input) }
        var status = stat()
        guard fstat(input, &status) == 0 else { throw BackupError.unreadable(source) }
        _ = try Folder.make(FileSystem.folder(of: target))
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let output = open(target, flags, status.st_mode & 0o700)
        guard output >= 0 else { throw BackupError.unwritable(target) }
        defer { close(output) }
        // No more than the initial size: a log may keep growing.
        var rest = Int(status.st_size)
        while rest > 0 {
            var part = [UInt8](repeating: 0, count: min(partSize, rest))
            let count = read(input, &part, part.count)
            guard count >= 0 else { throw BackupError.unreadable(source) }
            if count == 0 { break }
            part.removeLast(part.count - count)
            do { try FileContents.write(part, to: output) } catch {
                throw BackupError.unwritable(target, error.number)
            }
            rest -= count
        }
        guard !synchronizing || fsync(output) == 0 else { throw BackupError.unwritable(target) }
        return Int(status.st_size) - rest
    }

    /// Copies the regular files of a folder.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - target: The new folder.
    ///   - isInUse: True if a missing folder has no files, as it may be removed at any time.
    ///   - synchronizing: True to wait for the disk.
    /// - Returns: The number of bytes.
    /// - Throws: ``BackupError``, also for a missing folder unless `isInUse`.
    static func makeAll(
        in folder: String, _ target: String, isInUse: Bool, synchronizing: Bool
    ) throws -> Int {
        guard let names = Folder.names(in: folder) else {
            if isInUse, errno == ENOENT { return 0 }
            throw BackupError.unreadable(folder)
        }
        _ = try Folder.make(target)
        var size = 0
        for name in names {
            let (path, copy) = ("\(folder)/\(name)", "\(target)/\(name)")
            switch FileStatus(of: path, followsLinks: false)?.kind {
            case .file: size += try make(path, copy, synchronizing: synchronizing)
            case .folder:
                size += try makeAll(in: path, copy, isInUse: isInUse, synchronizing: synchronizing)
            default: continue
            }
        }
        return size
    }
}

/// A copy of a data folder, made while a host may run on it.
struct FolderCopy {
    let folder: String
    let target: String

    /// Copies everything but `leftOut`.
    func make(without leftOut: Set<String>) throws {
        var files = DataFolderFiles(folder: folder, leftOut: leftOut)
        try files.copy { name in
            try FileCopy.make("\(folder)/\(name)", "\(target)/\(name)", synchronizing: false)
        } remove: { names in
            for name in names { unlink("\(target)/\(name)") }
        } addDatabase: { name, owner in
            let copy = "\(target)/\(name)"
            _ = try Folder.make(FileSystem.folder(of: copy))
            do { try DatabaseCopy.whole("\(folder)/\(name)", to: copy, owner: owner) } catch {
                unlink(copy)
                throw error
            }
        }
    }
}
