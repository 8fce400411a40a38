internal import Glibc

/// An open file that is read at any offset.
package final class RandomAccessFile: Sendable {
    let path: String
    package let size: UInt64
    /// Changes whenever the file is replaced or written to.
    let identity: String
    /// The write permissions of the file when it was opened.
    let permissions: Permissions
    private let descriptor: CInt
    /// The bytes of a file that exists only in memory.
    private let content: [UInt8]?

    /// The size of the largest file that is opened, in bytes: files are read whole into memory, and a sparse
    /// file can claim any size.
    package static let sizeLimit = 256 << 20

    /// Opens a regular file for reading.
    ///
    /// - Parameters:
    ///   - file: Its path.
    ///   - source: The original of a private copy, to name in messages.
    ///   - limit: The size of the largest file that is opened.
    /// - Throws: ``ModuleError`` if it does not exist, is too large or can't be read.
    package init(_ file: String, copiedFrom source: String? = nil, limit: Int = sizeLimit) throws {
        path = source ?? file
        content = nil
        // Not blocking: opening a pipe without a writer would wait forever.
        descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ModuleError.unreadable(path, errno: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let reason = errno
            close(descriptor)
            throw ModuleError.unreadable(path, errno: reason)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ModuleError.notALibrary(path, "it is not a regular file")
        }
        guard status.st_size <= limit else {
            close(descriptor)
            throw ModuleError.tooLarge(path, bytes: status.st_size)
        }
        size = UInt64(status.st_size)
        identity = FileSystem.identity(status)
        permissions = Permissions(status)
    }

    /// Wraps bytes that are not in a file yet.
    package init(content: [UInt8], path: String) {
        self.path = path
        self.content = content
        descriptor = -1
        size = UInt64(content.count)
        identity = ""
        permissions = Permissions(owner: geteuid(), group: getegid(), mode: S_IFREG | S_IRUSR)
    }

    /// The present path of the open file, with all links resolved; ends with ` (deleted)` if it was removed.
    package var resolvedPath: String {
        FileSystem.linkTarget("/proc/self/fd/\(descriptor)") ?? FileSystem.realPath(path) ?? path
    }

    /// True if nothing was written to the file since it was opened.
    package var isUnchanged: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && FileSystem.identity(status) == identity
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The bytes at `offset`; nil if the file is shorter than that.
    package func bytes(at offset: UInt64, count: UInt64) throws -> [UInt8]? {
        let (end, overflow) = offset.addingReportingOverflow(count)
        guard !overflow, end <= size else { return nil }
        if let content { return Array(content[Int(offset)..<Int(end)]) }
        // An array without capacity is the process-wide empty array, whose count must not be written.
        guard count > 0 else { return [] }
        var failure: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            while filled < Int(count) {
                let got = pread(
                    descriptor, buffer.baseAddress! + filled, Int(count) - filled, off_t(offset) + filled)
                if got > 0 {
                    filled += got
                } else if got == 0 || errno != EINTR {
                    failure = got == 0 ? 0 : errno
                    return
                }
            }
        }
        guard failure == 0 else { throw ModuleError.unreadable(path, errno: failure) }
        return bytes.count == Int(count) ? bytes : nil
    }
}
