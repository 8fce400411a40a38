internal import Glibc

/// How a process ended.
package enum ExitReason: Sendable, Hashable {
    /// It called `exit` or returned from its main function.
    case exited(status: CInt)
    /// A signal ended it.
    case signaled(signal: CInt)
    /// Something else in this process has waited for it, so that the system doesn't know any more.
    case lost

    /// Whether it ended as programs do that did what they should.
    package var isSuccess: Bool { self == .exited(status: 0) }

    /// - Parameter status: What `waitpid` reports of a process that ended; the layout of bits is Linux's.
    init(status: CInt) {
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status: status >> 8 & 0xFF) : .signaled(signal: signal)
    }
}

extension ExitReason: CustomStringConvertible {
    /// What follows the program's name in a sentence: "ended with status 1".
    package var description: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .signaled(let signal): "was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
        case .lost: "ended, and its status is not known"
        }
    }
}
