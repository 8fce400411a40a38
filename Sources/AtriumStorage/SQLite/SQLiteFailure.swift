internal import AtriumKit
internal import CSQLite

/// A failure reported by SQLite; the cause of a ``DatabaseError``.
struct SQLiteFailure: ExplainedError, Hashable {
    /// The extended result code: 2067 for SQLITE_CONSTRAINT_UNIQUE.
    let resultCode: Int32
    var words: String
    var systemError = SystemError(number: 0)

    /// The result code without its details: SQLITE_CONSTRAINT.
    var primaryCode: Int32 { resultCode & 0xff }

    var code: ErrorCode { "sqlite" }
    var message: String { "SQLite error \(resultCode): \(reason)." }

    /// SQLite's message, and the system's if it says more.
    var reason: String {
        guard systemError.number != 0, primaryCode == SQLITE_IOERR || primaryCode == SQLITE_CANTOPEN else {
            return words
        }
        return "\(words) (\(systemError.reason))"
    }

    var kind: ErrorCode {
        switch primaryCode {
        case SQLITE_BUSY, SQLITE_LOCKED: .databaseLocked
        case SQLITE_CORRUPT, SQLITE_NOTADB: .databaseCorrupt
        case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: .databaseUnwritable
        case SQLITE_FULL: .diskFull
        case SQLITE_IOERR where systemError.isOutOfSpace: .diskFull
        // SQLite loses the system error of a write that a size limit cut short.
        case SQLITE_IOERR where isFailedWrite && systemError.number == 0: .diskFull
        case SQLITE_IOERR where isFailedWrite: .databaseUnwritable
        case SQLITE_CONSTRAINT: violation
        default: .databaseFailure
        }
    }

    /// The code of the violated constraint.
    private var violation: ErrorCode {
        // SQLITE_CONSTRAINT_CHECK and others, macros that Swift does not import.
        switch resultCode >> 8 {
        case 1: .checkViolation
        case 3: .foreignKeyViolation
        case 5: .notNullViolation
        case 6, 8, 10: .uniqueViolation
        default: .databaseConstraint
        }
    }

    /// SQLite reports SQLITE_FULL for ENOSPC only; quotas and size limits are failed writes.
    var isFailedWrite: Bool { resultCode == Self.failedWrite }

    /// SQLITE_IOERR_WRITE, a macro that Swift does not import.
    private static let failedWrite = SQLITE_IOERR | 3 << 8
}
