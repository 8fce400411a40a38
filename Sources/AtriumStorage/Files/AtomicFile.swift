internal import Glibc
internal import Synchronization

/// Files that are replaced as a whole: a reader sees all of the old bytes or all of the new ones.
public enum AtomicFile {
    private static let attempt = Atomic<Int>(0)

    /// Writes a new file beside `path` and renames it over the old one.
    ///
    /// The file has mode 0600, whatever the old one had. After a throw the old file is as it was, and
    /// nothing is left beside it; only where the very last step fails, the wait for the folder, the new
    /// file is in its place already.
    ///
    /// - Parameters:
    ///   - bytes: All of the new file.
    ///   - path: The file to replace, or to make.
    ///   - synchronizing: Whether the new file survives the end of the machine once this returns; costs two
    ///     waits for the disk.
    /// - Throws: ``StorageError`` with code `fileUnwritable` or `diskFull`.
    public static func write(
        _ bytes: [UInt8], to path: String, synchronizing: Bool = true
    ) throws(StorageError) {
        do throws(SystemError) {
            let temporary = try writeTemporary(bytes, beside: path, synchronizing: synchronizing)
            guard rename(temporary, path) == 0 else {
                let error = SystemError.current
                unlink(temporary)
                throw error
            }
            if synchronizing { try synchronizeFolder(of: path) }
        } catch {
            throw .unwritable(path, error)
        }
    }

    /// Removes what writers left that were killed before they could rename it.
    ///
    /// Only regular files of the person's own that are named as ``write(_:to:synchronizing:)`` names them,
    /// `NAME.PID-N.tmp`, and whose process is not there any more. What can't be removed stays, unreported.
    /// Lists the folder once.
    ///
    /// - Parameter folder: The folder itself; those in it are not searched.
    public static func removeLeftovers(in folder: String) {
        guard let listing = opendir(folder) else { return }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    removeIfLeft(name, in: dirfd(listing))
                }
            }
        }
    }

    private static func removeIfLeft(_ name: UnsafePointer<CChar>, in folder: Int32) {
        guard let process = writer(of: name), kill(process, 0) != 0, errno == ESRCH else { return }
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
        else { return }
        unlinkat(folder, name, 0)
    }

    /// The process in the name of a temporary file; nil for any other name.
    private static func writer(of name: UnsafePointer<CChar>) -> pid_t? {
        let length = strlen(name)
        guard length > 4, strcmp(name + (length - 4), ".tmp") == 0 else { return nil }
        let parts = String(cString: name).split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts[parts.count - 2].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 3 || parts.count == 3 && !parts[0].isEmpty, numbers.count == 2,
            let process = pid_t(numbers[0]), let attempt = Int(numbers[1]), process > 0, attempt > 0,
            // As we write them: without a sign or a leading zero.
            numbers[0] == "\(process)", numbers[1] == "\(attempt)"
        else { return nil }
        return process
    }

    private static func writeTemporary(
        _ bytes: [UInt8], beside path: String, synchronizing: Bool
    ) throws(SystemError) -> String {
        while true {
            let number = attempt.add(1, ordering: .relaxed).newValue
            let temporary = "\(path).\(getpid())-\(number).tmp"
            do {
                try NewFile.write(bytes, to: temporary, synchronizing: synchronizing)
                return temporary
            } catch  where error.number == EEXIST {
                // Left by a process that had the same id and was killed; the next number is free.
            }
        }
    }

    private static func synchronizeFolder(of path: String) throws(SystemError) {
        let folder = FolderCreation.parent(of: path) ?? (path.hasPrefix("/") ? "/" : ".")
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current }
        defer { close(descriptor) }
        try NewFile.synchronize(descriptor)
    }
}
