internal import Glibc

/// Reading whole files.
public enum FileContents {
    /// How many bytes a file may have, unless the caller says otherwise: 16 MB.
    public static let defaultLimit = 16_000_000

    /// All bytes of a file.
    ///
    /// Devices and folders are refused, and pipes unless they are asked for: what has no end, or no writer,
    /// would hold the caller for ever.
    ///
    /// - Parameters:
    ///   - path: The file; links are followed.
    ///   - limit: How many bytes it may have.
    ///   - allowsPipes: Whether a pipe counts as a file, as in `<(…)` of a shell; blocks until its writers end.
    /// - Returns: The bytes, `limit` at most.
    /// - Throws: ``StorageError`` with code `notFound` where there is no such file, else `fileUnreadable`.
    public static func read(
        _ path: String, limit: Int = defaultLimit, allowsPipes: Bool = false
    ) throws(StorageError) -> [UInt8] {
        do {
            return try readBytes(path, limit: limit, allowsPipes: allowsPipes)
        } catch {
            throw error.storageError(path, isMissing: error.isMissing)
        }
    }

    /// All bytes of a regular file; nil where there is no such file.
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
    /// Why a file is not read.
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

        /// The failure of the system call just made.
        static var current: Failure { .system(.current) }
    }

    private static func readBytes(
        _ path: String, limit: Int, allowsPipes: Bool
    ) throws(Failure) -> [UInt8] {
        // To open a pipe would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current }
        defer { close(descriptor) }
        let size = try expectedSize(of: descriptor, allowsPipes: allowsPipes)
        guard size <= limit else { throw .tooLarge(limit: limit) }

        // The size is a guess: the file may grow meanwhile, and files of the kernel claim to be empty.
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

    /// The size that the file claims to have; 0 for a pipe.
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

    /// Reads what is there now, or waits for it where a pipe may have to be waited for.
    ///
    /// - Returns: How many bytes; nil at the end.
    private static func readSome(
        of descriptor: Int32, into bytes: inout [UInt8], from filled: Int, waiting: Bool
    ) throws(Failure) -> Int? {
        while true {
            // A pipe without a writer yet reads as ended; `poll` returns when the first one has come.
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
