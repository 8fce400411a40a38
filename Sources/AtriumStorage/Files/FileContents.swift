internal import Glibc

/// Reading whole files.
public enum FileContents {
    /// All bytes of a file.
    ///
    /// - Throws: ``StorageError`` with code `notFound` where there is no such file, else `fileUnreadable`.
    public static func read(_ path: String) throws(StorageError) -> [UInt8] {
        do {
            return try readBytes(path)
        } catch {
            throw .unreadable(path, error, missing: error.number == ENOENT)
        }
    }

    /// All bytes of a file; nil where there is no such file.
    ///
    /// - Throws: ``StorageError`` with code `fileUnreadable`.
    public static func readIfPresent(_ path: String) throws(StorageError) -> [UInt8]? {
        do {
            return try readBytes(path)
        } catch  where error.number == ENOENT {
            return nil
        } catch {
            throw .unreadable(path, error, missing: false)
        }
    }

    private static func readBytes(_ path: String) throws(SystemError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .current }

        // The size is a guess: the file may grow meanwhile, and files of the kernel claim to be empty.
        var bytes = [UInt8](repeating: 0, count: max(Int(status.st_size), 4096) + 1)
        var filled = 0
        while true {
            if filled == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            if count > 0 {
                filled += count
            } else if count == 0 {
                bytes.removeLast(bytes.count - filled)
                return bytes
            } else if errno != EINTR {
                throw .current
            }
        }
    }
}
