internal import Glibc

/// Reads whole files.
public enum FileContents {
    /// 16 MB.
    public static let defaultLimit = 16_000_000

    /// Returns all bytes of a file.
    ///
    /// Refuses devices and folders, and pipes by default: without an end or a writer they would block for ever.
    ///
    /// - Parameters:
    ///   - path: The file; links are followed.
    ///   - limit: The most bytes.
    ///   - allowsPipes: Whether to read pipes, as `<(…)` in a shell; blocks until their writers end.
    /// - Throws: ``StorageError`` with code `notFound` or `fileUnreadable`.
    public static func read(
        _ path: String, limit: Int = defaultLimit, allowsPipes: Bool = false
    ) throws(StorageError) -> [UInt8] {
        do {
            return try readBytes(path, limit: limit, allowsPipes: allowsPipes)
        } catch {
            throw error.storageError(path, isMissing: error.isMissing)
        }
    }

    /// Returns all bytes of a regular file; nil if it does not exist.
    ///
    /// - Throws: ``StorageError`` with code `fileUnreadable`.
    public static func readIfPresent(
        _ path: String, limit: Int = defaultLimit
    ) throws(StorageError) -> [UInt8]? {
        do {
            return try readBytes(path, limit: limit, allowsPipes: false)
        } catch  where error.isMissing {
            return nil
        } catch {
            throw error.storageError(path, isMissing: false)
        }
    }
}

extension FileContents {
    private enum Failure: Error {
        case system(SystemError)
        case notRegular
        case tooLarge(limit: Int)

        var isMissing: Bool {
            if case .system(let error) = self { error.number == ENOENT } else { false }
        }

        func storageError(_ path: String, isMissing: Bool) -> StorageError {
            switch self {
            case .system(let error): .unreadable(path, error, missing: isMissing)
            case .notRegular: .notRegular(path)
            case .tooLarge(let limit): .tooLarge(path, limit: limit)
            }
        }

        static var current: Failure { .system(.current) }
    }

    private static func readBytes(
        _ path: String, limit: Int, allowsPipes: Bool
    ) throws(Failure) -> [UInt8] {
        // Opening a pipe would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current }
        defer { close(descriptor) }
        let size = try expectedSize(of: descriptor, allowsPipes: allowsPipes)
        guard size <= limit else { throw .tooLarge(limit: limit) }

        // The size is a guess: the file may grow, and files of the kernel claim to be empty.
        var bytes = [UInt8](repeating: 0, count: max(size, 4096) + 1)
        var filled = 0
        while let count = try readSome(of: descriptor, into: &bytes, from: filled, waiting: allowsPipes) {
            filled += count
            guard filled <= limit else { throw .tooLarge(limit: limit) }
            if filled == bytes.count { bytes += [UInt8](repeating: 0, count: bytes.count) }
        }
        bytes.removeLast(bytes.count - filled)
        return bytes
    }

    private static func expectedSize(of descriptor: Int32, allowsPipes: Bool) throws(Failure) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .current }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int(status.st_size)
        case S_IFIFO where allowsPipes: return 0
        case S_IFDIR: throw .system(SystemError(number: EISDIR))
        default: throw .notRegular
        }
    }

    /// Reads some bytes, and waits for those of a pipe; returns nil at the end.
    private static func readSome(
        of descriptor: Int32, into bytes: inout [UInt8], from filled: Int, waiting: Bool
    ) throws(Failure) -> Int? {
        while true {
            // A pipe without a writer reads as ended; `poll` waits for the first one.
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if waiting, poll(&request, 1, -1) < 0, errno != EINTR { throw .current }
            if waiting, request.revents == 0 { continue }
            let count = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress! + filled, buffer.count - filled)
            }
            if count >= 0 { return count == 0 ? nil : count }
            guard errno == EINTR || waiting && errno == EAGAIN else { throw .current }
        }
    }
}
