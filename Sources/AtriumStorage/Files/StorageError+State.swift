@_spi(Host) package import AtriumKit
internal import Glibc

/// Errors of the files that a host keeps for the next one.
extension StorageError {
    /// True if something no host writes takes the place of a file, and stays: a link, a folder, a device.
    var isOtherThanFile: Bool {
        guard let number = (cause as? SystemError)?.number else { return kindOfFile != nil }
        return number == EISDIR || number == ENXIO || number == ENODEV
    }

    /// Renames a file that can't be used, because of `error`.
    ///
    /// - Returns: The error to report.
    /// - Throws: The reason it can't be renamed; the next save would replace the file.
    static func setAside(_ path: String, _ error: StorageError) throws(StorageError) -> StorageError {
        guard let copy = DamagedFile.rename(path) else {
            throw stateUnreadable(
                path, unreadable(path, .current), because: "it is damaged and can't be renamed")
        }
        return StorageError(
            error.code, error.message, hint: "It was renamed to '\(copy)'.",
            cause: error.cause as? SystemError)
    }

    /// A file was read completely, but its content is invalid.
    ///
    /// Names the field without its value, which may be a token.
    static func stateDamaged(_ path: String, _ error: any Error) -> StorageError {
        var reason = StateCoding.reason(of: error) ?? "it has an unknown format."
        // No file holds a single value, so an error without a field is one of the syntax.
        if case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty {
            reason = "it is not valid JSON."
        }
        return StorageError(
            "stateDamaged", "'\(path)' is damaged and was not loaded: \(reason)",
            hint: "The next use of the file renames it.")
    }

    /// A file can't be read; nothing was changed.
    package static func stateUnreadable(
        _ path: String, _ error: StorageError, because: String? = nil
    ) -> StorageError {
        let cause = error.cause as? SystemError
        let reason = because ?? error.kindOfFile ?? cause?.reason ?? "it is larger than the host allows"
        return StorageError(
            .stateUnreadable, "The file '\(path)' can't be read: \(reason). It was not changed.",
            hint: step(after: cause, path), cause: cause, category: .usage)
    }

    /// A value would be too large to be read again; the former one stays.
    static func stateTooLarge(_ path: String, limit: Int) -> StorageError {
        StorageError(
            "stateTooLarge",
            "The file '\(path)' was not written: it would exceed \(byteText(limit)), the largest size that can be read.",
            hint: "The file keeps its earlier content.")
    }

    /// A data folder belongs to another user, who could not read the files that the superuser writes.
    static func folderOfOther(_ path: String, owner: uid_t) -> StorageError {
        let name = userName(owner)
        return StorageError(
            "dataFolderOfOther",
            "The data folder '\(path)' belongs to user '\(name)', who could not read files written by this user.",
            hint:
                "Run the host as that user, for example with 'sudo -u \(name)', or choose another folder with "
                + "--data DIR.",
            category: .usage)
    }

    /// The next step for the user after a system error.
    private static func step(after error: SystemError?, _ path: String) -> String {
        switch error?.number {
        case nil, EISDIR, ENXIO, ENODEV: return "Move it away to start without it."
        case EMFILE:
            return "Allow the process more open files, such as with 'ulimit -n 1024', then try again."
        case ENFILE: return "The system has too many open files: end other programs, then try again."
        case ENOMEM: return "Free some memory, then try again."
        case EACCES, EPERM:
            return "Run the host as the owner of the file\(ownerText(path)), or give it to this user."
        case EIO: return "Check the disk; move the file away to start without it."
        default: return "Try again, or move the file away to start without it."
        }
    }

    /// `, 'ada'`; empty if the owner is unknown.
    private static func ownerText(_ path: String) -> String {
        var status = stat()
        return lstat(path, &status) == 0 ? ", '\(userName(status.st_uid))'" : ""
    }

    private static func userName(_ user: uid_t) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }
}

extension ErrorCode {
    /// A host's saved data can't be read now.
    package static let stateUnreadable: ErrorCode = "stateUnreadable"
}
