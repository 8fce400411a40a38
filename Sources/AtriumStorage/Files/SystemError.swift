internal import AtriumKit
internal import Glibc

/// Why a system call failed; the cause of what is reported about files.
struct SystemError: ExplainedError, Hashable {
    /// The value of `errno`.
    let number: Int32

    var code: ErrorCode { "system" }
    var message: String { "System error \(number): \(reason)." }

    /// The system's words for it: "No such file or directory".
    var reason: String {
        String(cString: strerror(number))
    }

    /// Whether the file system has no room, or the person no right to more of it.
    var isOutOfSpace: Bool {
        number == ENOSPC || number == EDQUOT || number == EFBIG
    }

    /// The failure of the system call just made; any other call in between may replace it.
    static var current: SystemError {
        SystemError(number: errno)
    }
}
