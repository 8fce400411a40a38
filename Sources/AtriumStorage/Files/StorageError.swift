public import AtriumKit
internal import Glibc

/// An error of the data folder or a file.
public struct StorageError: ExplainedError {
    /// A code such as `dataFolderInUse`, `fileUnreadable` or `diskFull`.
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    public let cause: (any Error)?
    public let category: ErrorCategory

    /// The kind of thing found in place of a file, as a clause; nil if the error is about something else.
    let kindOfFile: String?

    init(
        _ code: ErrorCode, _ message: String, hint: String?, cause: SystemError? = nil,
        category: ErrorCategory = .failure, kindOfFile: String? = nil
    ) {
        (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
        (self.category, self.kindOfFile) = (category, kindOfFile)
    }

    static let folderUnknown = StorageError(
        .dataFolderUnknown, "There is no data folder: neither XDG_STATE_HOME nor HOME is set.",
        hint: "Choose a folder with --data DIR.", category: .usage)

    static func folderUnwritable(_ path: String, _ error: SystemError) -> StorageError {
        StorageError(
            .dataFolderUnwritable, "The data folder '\(path)' can't be used: \(error.reason).",
            hint: "Choose another folder with --data DIR.", cause: error, category: .usage)
    }

    static func folderNewer(_ path: String, by version: String, format: Int) -> StorageError {
        StorageError(
            "dataFolderNewer",
            "The data folder '\(path)' was written by Atrium \(version) in format \(format); this host knows "
                + "formats up to \(FolderLock.format). Nothing in it was changed.",
            hint: "Use that version, or choose another folder with --data DIR.", category: .usage)
    }

    static func folderInUse(_ path: String, by holder: FolderLock.Holder?) -> StorageError {
        let folder = "The data folder '\(path)' is in use by"
        let other = "or choose another folder with --data DIR."
        guard let holder else {
            return StorageError(
                .dataFolderInUse, "\(folder) another host.", hint: "End that host first, \(other)",
                category: .usage)
        }
        let isStopped = holder.isStopped
        let end = "kill \(isStopped ? "-KILL " : "")\(holder.process)"
        return StorageError(
            .dataFolderInUse,
            "\(folder) \(isStopped ? "a stopped" : "another") host: process \(holder.process), "
                + "version \(holder.version), since \(holder.since.displayText).",
            hint: (isStopped ? "Continue it with 'fg' in its shell" : "Leave that host")
                + ", end it with '\(end)', \(other)", category: .usage)
    }

    static func folderNotLocked(_ path: String, _ error: SystemError) -> StorageError {
        StorageError(
            "dataFolderNotLocked",
            "The data folder '\(path)' can't be locked, so nothing keeps a second host out: \(error.reason).",
            hint: "Run one host at a time on it, or choose a folder on a local disk with --data DIR.",
            cause: error)
    }

    static func unwritable(_ path: String, _ error: SystemError) -> StorageError {
        StorageError(
            error.isOutOfSpace ? .diskFull : .fileUnwritable,
            "The file '\(path)' can't be written: \(error.reason).",
            hint: error.isOutOfSpace ? "Free some space, then try again." : checkPermissions, cause: error)
    }

    static func unreadable(_ path: String, _ error: SystemError) -> StorageError {
        let isMissing = error.number == ENOENT
        return StorageError(
            isMissing ? .notFound : .fileUnreadable, "The file '\(path)' can't be read: \(error.reason).",
            hint: isMissing ? nil : checkPermissions, cause: error)
    }

    private static let checkPermissions = "Check the permissions of the file and its folder."

    static func notAFolder(_ path: String, copy: String) -> StorageError {
        StorageError(
            "stateDamaged", "'\(path)' is not a folder and was not used.",
            hint: "It was renamed to '\(copy)'.")
    }

    static func isLink(_ path: String) -> StorageError {
        StorageError(
            .fileUnreadable, "The file '\(path)' can't be read: it is a symbolic link.",
            hint: "Put a regular file in its place.", kindOfFile: "it is a symbolic link")
    }

    package static func notRegular(_ path: String) -> StorageError {
        StorageError(
            .fileUnreadable, "The file '\(path)' can't be read: it is not a regular file.",
            hint: "Put a regular file in its place, or name another one.",
            kindOfFile: "it is not a regular file")
    }

    static func tooLarge(_ path: String, limit: Int) -> StorageError {
        StorageError(
            .fileUnreadable, "The file '\(path)' can't be read: it is larger than \(byteText(limit)).",
            hint: "Put a smaller file in its place, or name another one.")
    }

    static func byteText(_ count: Int) -> String {
        count % 1_000_000 == 0 ? "\(count / 1_000_000) MB" : "\(count) bytes"
    }
}

extension ErrorCode {
    /// No variable names the data folder.
    public static let dataFolderUnknown: ErrorCode = "dataFolderUnknown"
    /// The data folder can't be created or written.
    public static let dataFolderUnwritable: ErrorCode = "dataFolderUnwritable"
    /// Another host uses the data folder.
    public static let dataFolderInUse: ErrorCode = "dataFolderInUse"
    /// The file of a database was removed or replaced while it was open.
    public static let databaseMissing: ErrorCode = "databaseMissing"
}

/// The error of a system call, such as the cause of a ``StorageError``.
package struct SystemError: ExplainedError, Hashable {
    /// The value of `errno`.
    package let number: Int32

    package init(number: Int32) { self.number = number }

    package var code: ErrorCode { "system" }
    package var message: String { "System error \(number): \(reason)." }

    /// The system's message: "No such file or directory".
    package var reason: String { String(cString: strerror(number)) }

    package var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

    package static var current: SystemError { SystemError(number: errno) }
}
