internal import Glibc

/// The reason that a file could not be read or written.
public struct FileError: ExplainedError, Hashable {
    /// `notFound`, `fileUnreadable`, `fileUnwritable`, `fileExists` or `diskFull`.
    public let code: ErrorCode
    public let message: String
    public let hint: String?

    static func missing(_ path: String) -> FileError {
        FileError(code: .notFound, message: "There is no file '\(path)'.", hint: nil)
    }

    static func unreadable(
        _ path: String, _ reason: String, hint: String = "Name a regular file that you may read."
    ) -> FileError {
        FileError(
            code: .fileUnreadable, message: "The file '\(path)' can't be read: \(reason).", hint: hint)
    }

    static func exists(_ path: String) -> FileError {
        FileError(
            code: .fileExists, message: "The file '\(path)' exists already.", hint: "Name another file.")
    }

    static func unwritable(_ path: String, _ number: CInt) -> FileError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(number)
        return FileError(
            code: isFull ? .diskFull : .fileUnwritable,
            message: "The file '\(path)' can't be written: \(reason(number)).",
            hint: isFull
                ? "Free some space, then try again." : "Check the permissions of the file and its folder.")
    }

    static func unwritable(_ path: String, _ reason: String) -> FileError {
        FileError(
            code: .fileUnwritable, message: "The file '\(path)' can't be written: \(reason).",
            hint: "Check the permissions of the file and its folder.")
    }

    /// Returns the system's words for an error number: "No space left on device".
    static func reason(_ number: CInt) -> String { String(cString: strerror(number)) }
}

extension ErrorCode {
    /// A file can't be read.
    public static let fileUnreadable: ErrorCode = "fileUnreadable"
    /// A file can't be written.
    public static let fileUnwritable: ErrorCode = "fileUnwritable"
    /// A file exists that may not be replaced.
    public static let fileExists: ErrorCode = "fileExists"
}
