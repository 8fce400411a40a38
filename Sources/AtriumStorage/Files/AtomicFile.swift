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
