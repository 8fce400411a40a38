import AtriumKit
import Glibc

/// Why entities could not be read from a file or written to one; nothing was done then.
struct EntityFileError: ExplainedError, Equatable {
    let code: ErrorCode
    let message: String
    let hint: String?
    let category: ErrorCategory
    /// What is wrong in the file, in the order of its lines: ``EntityFileFinding/maximum`` at most.
    let findings: [EntityFileFinding]
    let cause: (any Error)?

    private init(
        _ code: ErrorCode, _ message: String, hint: String? = nil, category: ErrorCategory = .failure,
        findings: [EntityFileFinding] = [], cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.category = category
        self.findings = findings
        self.cause = cause
    }

    /// Whether both say the same; their causes may differ.
    static func == (left: EntityFileError, right: EntityFileError) -> Bool {
        (left.code, left.message, left.hint) == (right.code, right.message, right.hint)
            && left.findings == right.findings
    }

    // MARK: - What is in the file

    /// Some rows are wrong.
    ///
    /// The message has the first findings, ``findings`` all that were looked for.
    static func invalid(
        _ path: String, _ findings: [EntityFileFinding], cause: (any Error)? = nil
    ) -> EntityFileError {
        let isCut = findings.count >= EntityFileFinding.maximum
        let count = findings.count == 1 ? "a mistake" : "\(findings.count) mistakes\(isCut ? " or more" : "")"
        let shown = findings.prefix(shownFindings).map(\.text)
        let rest = findings.count - shown.count
        let more = rest > 0 ? " And \(rest) more." : ""
        return EntityFileError(
            .invalidFile,
            "The file '\(path)' has \(count); nothing was imported. " + shown.joined(separator: " ") + more,
            hint: "Put it right, then import it again.", category: .validation, findings: findings,
            cause: cause)
    }

    /// How many findings the message has.
    private static let shownFindings = 3

    static func unknownFormat(_ path: String) -> EntityFileError {
        EntityFileError(
            .unknownFormat,
            "The name '\(path)' does not tell the format: it ends neither in .csv nor in .jsonl.",
            hint: "Give the format: --format csv or --format jsonl.", category: .validation)
    }

    static let noPath = EntityFileError(
        .unknownFormat, "A file needs a name, without NUL in it.", category: .validation)

    // MARK: - The file itself

    static func missing(_ path: String) -> EntityFileError {
        EntityFileError(.notFound, "There is no file '\(path)'.")
    }

    static func unreadable(_ path: String, _ reason: String) -> EntityFileError {
        EntityFileError(
            .unreadableFile, "The file '\(path)' can't be read: \(reason).",
            hint: "Name a regular file that you may read.")
    }

    /// A file is there, and nobody said that it may be replaced.
    static func exists(_ path: String) -> EntityFileError {
        EntityFileError(
            .fileExists, "The file '\(path)' is there already; nothing was exported.",
            hint: "Give --replace to replace it, or name another file.")
    }

    /// What the system says where a file can't be written.
    static func unwritable(_ path: String, _ number: CInt) -> EntityFileError {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(number)
        return unwritable(path, FileBytes.reason(number), isFull: isFull)
    }

    static func unwritable(_ path: String, _ reason: String, isFull: Bool = false) -> EntityFileError {
        EntityFileError(
            isFull ? .diskFull : .unwritableFile, "The file '\(path)' can't be written: \(reason).",
            hint: isFull
                ? "Free some space, then try again." : "Name a file in a folder that you may write to.")
    }
}

extension ErrorCode {
    /// Something in a file of entities is wrong.
    static let invalidFile: ErrorCode = "invalidFile"
    /// Nothing tells the format of a file.
    static let unknownFormat: ErrorCode = "unknownFormat"
    /// A file is there but can't be read.
    static let unreadableFile: ErrorCode = "fileUnreadable"
    /// A file is there that was not to be.
    static let fileExists: ErrorCode = "fileExists"
    /// A file can't be written.
    static let unwritableFile: ErrorCode = "fileUnwritable"
}
