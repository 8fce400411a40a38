import Glibc

/// A file that is there only once it is whole.
///
/// What is written has no name before ``finish()``, so that nothing is left of a process that is killed. Only
/// for the moment of replacing another file, and where the file system has no files without a name, it has one
/// of ``LockedName``, which the next writer in that folder removes.
///
/// A new file has the permissions that the process allows, which in the host is its owner's alone; one that
/// replaces another has those of that one.
struct NewFile: ~Copyable {
    /// The path as it was given, for messages.
    private let name: String
    private let destination: FileDestination
    private let replaces: Bool
    private var descriptor: CInt
    private var temporaryPath: String?

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - path: Where it is to be; links are followed.
    ///   - replaces: Whether it may take the place of another.
    ///   - isUnnamed: Whether it is made without a name where the file system can.
    /// - Throws: ``EntityFileError``.
    init(_ path: String, replaces: Bool, isUnnamed: Bool = true) throws(EntityFileError) {
        let destination = try FileDestination(path)
        guard replaces || destination.former == nil else { throw .exists(path) }
        LockedName.removeLeftovers(in: destination.folder, .file)
        let mode: mode_t = destination.former == nil ? 0o666 : 0o600
        var descriptor: CInt = -1
        var temporaryPath: String?
        if isUnnamed { descriptor = UnnamedFile.open(in: destination.folder, mode) }
        if descriptor < 0 {
            guard let file = LockedName.makeFile(in: destination.folder, mode) else {
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

    /// Adds bytes.
    func write(_ bytes: [UInt8]) throws(EntityFileError) {
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

    /// Puts the file in its place; when this returns it survives the end of the machine.
    ///
    /// - Throws: ``EntityFileError/exists(_:)`` where a file came to be there that may not be replaced; what
    ///   was there stays after any failure.
    consuming func finish() throws(EntityFileError) {
        if let former = destination.former {
            // Not everybody may give files away; the group is tried alone then.
            if fchown(descriptor, former.st_uid, former.st_gid) != 0 {
                fchown(descriptor, uid_t.max, former.st_gid)
            }
            fchmod(descriptor, former.st_mode & 0o7777)
        }
        guard fsync(descriptor) == 0 else { throw .unwritable(name, errno) }
        if replaces { try replace() } else { try place() }
        synchronizeFolder()
    }

    private mutating func replace() throws(EntityFileError) {
        if temporaryPath == nil {
            temporaryPath = LockedName.give(to: descriptor, in: destination.folder)
        }
        guard let temporaryPath, rename(temporaryPath, destination.path) == 0 else {
            throw .unwritable(name, errno)
        }
        self.temporaryPath = nil
    }

    private mutating func place() throws(EntityFileError) {
        guard let temporaryPath else {
            guard UnnamedFile.link(descriptor, to: destination.path) else { throw failure() }
            return
        }
        if link(temporaryPath, destination.path) == 0 { return }
        guard errno != EEXIST else { throw failure() }
        // The file system has no second names: an empty file keeps the place.
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

    /// The error for the system call just made.
    private func failure() -> EntityFileError {
        errno == EEXIST ? .exists(name) : .unwritable(name, errno)
    }

    /// The file is whole and in its place, so a folder that can't be waited for is no failure.
    private func synchronizeFolder() {
        let folder = open(destination.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }
}
