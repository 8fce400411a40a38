@_spi(Host) package import AtriumKit
internal import AtriumManifest
internal import Glibc

/// Keeps a data folder for one host.
///
/// The lock is `flock` on a file in the folder, so it ends with the process, even if that crashes. The file
/// is never removed: a host that waits for it would then lock a file that the next one can't see. Neither
/// programs that the host starts nor processes that a module forks keep the lock.
package struct FolderLock: Sendable {
    package static let fileName = "host.lock"
    private let descriptor: CInt

    /// The host that holds the folder, as it described itself in the file.
    package struct Holder: Sendable {
        let process: pid_t
        let version: String
        let since: Timestamp
        /// The folder format that it wrote; nil for the first.
        var format: Int?
    }

    /// The format of the files that this host writes; it refuses folders of a later format.
    static let format = 1

    /// Checks that this host can read a folder, before anything in it is touched.
    ///
    /// - Returns: The version of the last host that used it; nil if none did.
    /// - Throws: ``StorageError`` with code `dataFolderNewer`, or `stateUnreadable` if it can't be read.
    package static func checkFormat(of folder: DataFolder) throws(StorageError) -> String? {
        let path = folder.path(fileName)
        let bytes: [UInt8]?
        do {
            bytes = try FileContents.readIfPresent(path, followsLinks: false)
        } catch  where error.isOtherThanFile || access("\(folder.path)/.", X_OK) != 0 {
            // ``DataFolder/prepare()`` reports problems of the folder.
            bytes = nil
        } catch {
            throw .stateUnreadable(path, error)
        }
        guard let holder = bytes.flatMap({ Holder(written: $0) }) else { return nil }
        if let format = holder.format, format > Self.format {
            throw .folderNewer(folder.path, by: holder.version, format: format)
        }
        return holder.version
    }

    /// Locks a folder until the process ends or calls ``release()``.
    ///
    /// Waits while another process has it, so that short scripts follow each other.
    ///
    /// - Parameters:
    ///   - folder: A writable folder.
    ///   - version: The version of this host, shown to waiting hosts.
    ///   - now: The current time, shown likewise.
    ///   - patience: The time limit of the wait; nil for none.
    ///   - isServed: Called while another process holds the folder: whether that process does the work of
    ///     this one; a stopped process does none.
    ///   - report: Called if the file system has no locks; the folder is used without one.
    /// - Returns: The lock; nil if the process that holds it serves this one.
    /// - Throws: ``StorageError`` with code `dataFolderInUse`, which names the host that holds the folder.
    @discardableResult
    nonisolated(nonsending) package static func take(
        _ folder: DataFolder, version: String, now: Timestamp, patience: Duration? = .seconds(5),
        isServed: (_ isStopped: Bool) -> Bool = { _ in false }, report: (any ExplainedError) -> Void
    ) async throws(StorageError) -> FolderLock? {
        let deadline = patience.map { ContinuousClock.now + $0 }
        let path = folder.path(fileName)
        while true {
            let descriptor = try open(path, in: folder, report)
            while let error = lock(descriptor) {
                guard error.number == EWOULDBLOCK else {
                    report(StorageError.folderNotLocked(folder.path, error))
                    return FolderLock(descriptor: descriptor)
                }
                if isServed(Holder(in: descriptor)?.isStopped == true) {
                    close(descriptor)
                    return nil
                }
                guard deadline.map({ .now < $0 }) ?? true else {
                    defer { close(descriptor) }
                    throw .folderInUse(folder.path, by: Holder(in: descriptor))
                }
                try? await Task.sleep(for: .milliseconds(10))
            }
            // The file may have been moved away meanwhile; the next host would not see this lock.
            if isFile(descriptor, at: path) {
                ForkedProcesses.close(descriptor)
                Holder(process: getpid(), version: version, since: now).write(to: descriptor)
                return FolderLock(descriptor: descriptor)
            }
            close(descriptor)
        }
    }

    /// The descriptor of the lock that this process has taken; negative if it has none.
    package static var takenDescriptor: CInt { ForkedProcesses.descriptor }

    package func release() {
        ForkedProcesses.keep(descriptor)
        close(descriptor)
    }
}

extension FolderLock {
    /// Opens the file; renames anything else in its place.
    private static func open(
        _ path: String, in folder: DataFolder, _ report: (any ExplainedError) -> Void
    ) throws(StorageError) -> CInt {
        for isRetry in [false, true] {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
            let descriptor = Glibc.open(path, flags, 0o600)
            if descriptor >= 0, isFile(descriptor) { return descriptor }
            let error = descriptor < 0 ? SystemError.current : SystemError(number: EINVAL)
            if descriptor >= 0 { close(descriptor) }
            let isOther = descriptor >= 0 || [EISDIR, ELOOP, ENXIO].contains(error.number)
            guard isOther, !isRetry else { throw .folderUnwritable(folder.path, error) }
            report(try StorageError.setAside(path, .notRegular(path)))
        }
        throw .folderUnwritable(folder.path, SystemError(number: EINVAL))
    }

    /// Locks without waiting; returns the error if that fails.
    private static func lock(_ descriptor: CInt) -> SystemError? {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return .current }
        }
        return nil
    }

    private static func isFile(_ descriptor: CInt, at path: String? = nil) -> Bool {
        var (open, named) = (stat(), stat())
        guard fstat(descriptor, &open) == 0, open.st_mode & S_IFMT == S_IFREG else { return false }
        guard let path else { return true }
        return lstat(path, &named) == 0 && named.st_ino == open.st_ino && named.st_dev == open.st_dev
    }
}

extension FolderLock.Holder {
    /// Reads the holder's description; nil if it has not been written yet, or could not be.
    fileprivate init?(in descriptor: CInt) {
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        self.init(written: Array(bytes[..<count]))
    }

    /// Reads the file without Foundation, whose decoding would take a thirtieth of the time of a start.
    fileprivate init?(written bytes: [UInt8]) {
        guard let file = try? LocatedJSON(parsing: bytes),
            case .integer(let number)? = file["process"]?.plain, let process = pid_t(exactly: number),
            let version = file["version"]?.text,
            case .integer(let microseconds)? = file["since"]?.plain
        else { return nil }
        self.init(process: process, version: version, since: Timestamp(microseconds: microseconds))
        if case .integer(let number)? = file["format"]?.plain { format = Int(number) }
    }

    /// Describes this process; on a full disk the lock holds without a description.
    fileprivate func write(to descriptor: CInt) {
        let object: JSONObject = [
            "process": .integer(Int64(process)), "version": .string(version),
            "since": .integer(since.microseconds), "format": .integer(Int64(FolderLock.format)),
        ]
        // Of constant length, to overwrite the last one: truncating a file costs a hundred times as much.
        var bytes = Array(JSONValue.object(object).serialized.utf8)
        bytes +=
            [UInt8](repeating: UInt8(ascii: " "), count: max(0, 127 - bytes.count)) + [UInt8(ascii: "\n")]
        var status = stat()
        _ = pwrite(descriptor, bytes, bytes.count, 0)
        if fstat(descriptor, &status) == 0, status.st_size != bytes.count {
            ftruncate(descriptor, off_t(bytes.count))
        }
    }

    /// True if the process is stopped, as by Ctrl-Z.
    var isStopped: Bool {
        guard let bytes = try? FileContents.read("/proc/\(process)/stat") else { return false }
        // The program's name is in parentheses, and may contain some.
        let state = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.first { $0 != " " }
        return state == "T" || state == "t"
    }
}

/// Closes the lock's file in processes that a module forks.
///
/// They share the lock, and would keep it after the host has ended. Programs don't inherit the file at all
/// (`O_CLOEXEC`).
private enum ForkedProcesses {
    /// Written on the main thread of the host, and read in a forked process by its only thread.
    nonisolated(unsafe) private(set) static var descriptor: CInt = -1

    private static let handler: Void = { _ = pthread_atfork(nil, nil, { closeInChild() }) }()

    static func close(_ descriptor: CInt) {
        Self.descriptor = descriptor
        _ = handler
    }

    static func keep(_ descriptor: CInt) {
        if Self.descriptor == descriptor { Self.descriptor = -1 }
    }

    private static func closeInChild() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }
}
