internal import Glibc

/// Writing a file that must not be there yet.
enum NewFile {
    /// Creates the file with mode 0600 and writes all of `bytes`.
    ///
    /// A file that was created and could not be written is removed again.
    ///
    /// - Parameters:
    ///   - bytes: All of the file.
    ///   - path: A name that nothing has.
    ///   - synchronizing: Whether the bytes are on the disk when this returns.
    /// - Throws: ``SystemError``, with `EEXIST` where something has this name; it stays as it is.
    static func write(_ bytes: [UInt8], to path: String, synchronizing: Bool) throws(SystemError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .current }
        do throws(SystemError) {
            do throws(SystemError) {
                try writeAll(bytes, to: descriptor)
                if synchronizing { try synchronize(descriptor) }
            } catch {
                Glibc.close(descriptor)
                throw error
            }
            // Some file systems report a full disk only here.
            guard Glibc.close(descriptor) == 0 || errno == EINTR else { throw .current }
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Waits until what was written to the descriptor is on the disk.
    static func synchronize(_ descriptor: Int32) throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw .current }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { rest in
                Glibc.write(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw .current
            }
        }
    }
}
