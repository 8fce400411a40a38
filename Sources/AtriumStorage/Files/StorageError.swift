public import AtriumKit
internal import Glibc

/// An error of the data folder or a file.
public struct StorageError: ExplainedError {
    public let code: ErrorCode
    public let message: String
    public let hint: String?
    public let cause: (any Error)?

    private init(_ code: ErrorCode, _ message: String, hint: String?, cause: SystemError? = nil) {
        (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
    }

    static let folderUnknown = StorageError(
        .dataFolderUnknown, "There is no data folder: neither XDG_STATE_HOME nor HOME is set.",
        hint: "Choose a folder with --data DIR.")

    static func folderUnwritable(_ path: String, _ error: SystemError) -> StorageError {
        StorageError(
            .dataFolderUnwritable, "The data folder '\(path)' can't be used: \(error.reason).",
            hint: "Choose another folder with --data DIR.", cause: error)
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

    static func damaged(_ path: String, copy: String?) -> StorageError {
        StorageError(
            "stateDamaged", "'\(path)' is damaged and was not loaded.",
            hint: copy.map { "It was renamed to '\($0)'." } ?? "Remove it.")
    }

    static func notRegular(_ path: String) -> StorageError {
        StorageError(
            .fileUnreadable, "The file '\(path)' can't be read: it is not a regular file.",
            hint: "Put a regular file in its place, or name another one.")
    }

    static func tooLarge(_ path: String, limit: Int) -> StorageError {
        let size = limit % 1_000_000 == 0 ? "\(limit / 1_000_000) MB" : "\(limit) bytes"
        return StorageError(
            .fileUnreadable, "The file '\(path)' can't be read: it is larger than \(size).",
            hint: "Put a smaller file in its place, or name another one.")
    }
}

extension ErrorCode {
    /// No variable names the data folder.
    public static let dataFolderUnknown: ErrorCode = "dataFolderUnknown"
    /// The data folder can't be created or written.
    public static let dataFolderUnwritable: ErrorCode = "dataFolderUnwritable"
    /// The file of a database was removed or replaced while it was open.
    public static let databaseMissing: ErrorCode = "databaseMissing"
}

/// The error of a system call; the cause of a ``StorageError``.
struct SystemError: ExplainedError, Hashable {
    /// The value of `errno`.
    let number: Int32

    var code: ErrorCode { "system" }
    var message: String { "System error \(number): \(reason)." }

    /// The system's words for it: "No such file or directory".
    var reason: String { String(cString: strerror(number)) }

    var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

    static var current: SystemError { SystemError(number: errno) }
}
