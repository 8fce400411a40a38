internal import AtriumKit
internal import Glibc

/// Reads and writes whole files.
public enum FileContents {
    /// 16 MB.
    public static let defaultLimit = 16_000_000

    /// Reads a file.
    ///
    /// Refuses devices and folders, and by default pipes: without end or writer they would block forever.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The maximum number of bytes.
    ///   - allowsPipes: Whether to read pipes, such as `<(…)` in a shell; blocks until their writers end.
    ///   - followsLinks: Whether the path may be a symbolic link; those in its folders are followed.
    ///   - isCancelled: Polled while a pipe has no data; returning true ends the read as the pipe's end
    ///     would.
    /// - Returns: All bytes.
    /// - Throws: ``StorageError`` with code `notFound` or `fileUnreadable`.
    public static func read(
        _ path: String, limit: Int = defaultLimit, allowsPipes: Bool = false, followsLinks: Bool = true,
        isCancelled: (() -> Bool)? = nil
    ) throws(StorageError) -> [UInt8] {
        let (descriptor, size) = try open(path, allowsPipes: allowsPipes, followsLinks: followsLinks)
        defer { close(descriptor) }
        // The size is a guess: the file may grow, and files of the kernel claim to be empty.
        guard size <= limit else { throw .tooLarge(path, limit: limit) }
        var bytes = [UInt8](repeating: 0, count: max(size, 4096) + 1)
        var filled = 0
        while true {
            let count = readSome(
                of: descriptor, into: &bytes, from: filled, waiting: allowsPipes, isCancelled)
            guard count >= 0 else { throw .unreadable(path, .current) }
            filled += count
            guard filled <= limit else { throw .tooLarge(path, limit: limit) }
            if count == 0 { break }
            if filled == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    /// Returns the first bytes of a regular file, at most `count`.
    ///
    /// - Throws: ``StorageError`` with code `notFound` or `fileUnreadable`.
    package static func readStart(of path: String, count: Int) throws(StorageError) -> [UInt8] {
        let (descriptor, _) = try open(path, allowsPipes: false, followsLinks: true)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, 0)
        guard read >= 0 else { throw .unreadable(path, .current) }
        return Array(bytes.prefix(read))
    }

    private static func open(
        _ path: String, allowsPipes: Bool, followsLinks: Bool
    ) throws(StorageError) -> (descriptor: Int32, size: Int) {
        // Opening a pipe would wait for its writer.
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let descriptor = Glibc.open(path, followsLinks ? flags : flags | O_NOFOLLOW)
        guard descriptor >= 0 else {
            let error = SystemError.current
            let isLink = !followsLinks && FileStatus(of: path, followsLinks: false)?.kind == .link
            throw isLink ? .isLink(path) : .unreadable(path, error)
        }
        do throws(StorageError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .unreadable(path, .current) }
            switch status.st_mode & S_IFMT {
            case S_IFREG: break
            case S_IFIFO where allowsPipes: break
            case S_IFDIR: throw .unreadable(path, SystemError(number: EISDIR))
            default: throw .notRegular(path)
            }
            return (descriptor, Int(status.st_size))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Returns all bytes of a regular file; nil if it does not exist.
    ///
    /// - Throws: ``StorageError`` with code `fileUnreadable`.
    public static func readIfPresent(
        _ path: String, limit: Int = defaultLimit, followsLinks: Bool = true
    ) throws(StorageError) -> [UInt8]? {
        do {
            return try read(path, limit: limit, followsLinks: followsLinks)
        } catch  where error.code == .notFound {
            return nil
        }
    }

    package static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw .current }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Reads some bytes, waiting if it is a pipe; returns 0 at the end, and a negative number after an error.
    private static func readSome(
        of descriptor: Int32, into bytes: inout [UInt8], from filled: Int, waiting: Bool,
        _ isCancelled: (() -> Bool)?
    ) -> Int {
        while true {
            // A pipe without a writer reads as ended; `poll` waits for the first one.
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if waiting, poll(&request, 1, isCancelled == nil ? -1 : 100) < 0, errno != EINTR { return -1 }
            if waiting, request.revents == 0 {
                if isCancelled?() == true { return 0 }
                continue
            }
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            guard count < 0, errno == EINTR || waiting && errno == EAGAIN else { return count }
        }
    }
}
