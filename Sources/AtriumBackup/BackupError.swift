package import AtriumKit
internal import AtriumStorage
internal import Glibc

/// A failure to make or restore a backup; nothing was changed.
package struct BackupError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let cause: (any Error)?

    init(_ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
    }

    /// The error reported by the child process that makes the backup.
    init(reported code: String, _ message: String, hint: String?) {
        self.init(ErrorCode(rawValue: code), message, hint: hint)
    }

    // MARK: - Making a backup

    static func noFolder(_ path: String) -> BackupError {
        BackupError(
            .notFound, "There is no data folder '\(path)' to back up.", hint: "Choose one with --data DIR.")
    }

    static func exists(_ path: String) -> BackupError {
        BackupError(
            "fileExists", "'\(path)' exists already.", hint: "Choose another name, or remove it first.")
    }

    static func inside(_ path: String, _ folder: String) -> BackupError {
        BackupError(
            "fileUnwritable", "The backup '\(path)' would lie in the data folder '\(folder)' itself.",
            hint: "Choose a path outside of it.")
    }

    static func unwritable(_ path: String, _ number: CInt = errno) -> BackupError {
        let error = SystemError(number: number)
        return BackupError(
            error.isOutOfSpace ? "diskFull" : "fileUnwritable",
            "'\(path)' can't be written: \(error.reason).",
            hint: error.isOutOfSpace
                ? "Free some space, or choose another disk." : "Check the folder and its permissions.")
    }

    static func unreadable(_ path: String, _ number: CInt = errno) -> BackupError {
        BackupError(
            number == ENOENT ? .notFound : "fileUnreadable",
            "'\(path)' can't be read: \(SystemError(number: number).reason).",
            hint: number == ENOENT ? nil : "Check its permissions.")
    }

    static func restless(_ folder: String) -> BackupError {
        BackupError(
            "fileUnreadable", "The state in '\(folder)' changed whenever it was read.",
            hint: "Try again when the host has less to do.")
    }

    // MARK: - Restoring one

    static func notABackup(_ path: String) -> BackupError {
        BackupError(
            "notABackup", "'\(path)' is not a backup that Atrium made.",
            hint: "'atrium backup FILE' makes one.")
    }

    static func damaged(_ path: String, _ what: String, _ cause: (any Error)? = nil) -> BackupError {
        BackupError(
            "backupDamaged", "The backup '\(path)' is damaged: \(what). Nothing was restored.",
            hint: "Use another copy of it.", cause: cause)
    }

    static func newer(_ path: String, _ made: String, than known: String) -> BackupError {
        BackupError(
            "backupNewer",
            "The backup '\(path)' is from a newer version of Atrium: \(made); this one is \(known).",
            hint: "Restore it with that version or a later one.")
    }

    static func inUse(_ folder: String) -> BackupError {
        BackupError(
            "dataFolderInUse", "The data folder '\(folder)' is in use by a running host.",
            hint: "End that host first, or restore into another folder: --data DIR.")
    }

    static func notADataFolder(_ path: String) -> BackupError {
        BackupError(
            "dataFolderUnwritable", "'\(path)' is not a data folder of Atrium, so it is not replaced.",
            hint: "Name an empty folder, or one that does not exist: --data DIR.")
    }

    static func notReplaced(_ folder: String, _ number: CInt = errno) -> BackupError {
        BackupError(
            "dataFolderUnwritable",
            "The data folder '\(folder)' can't be replaced: \(SystemError(number: number).reason).",
            hint: "Restore into another folder: --data DIR.")
    }
}
