package import AtriumKit

/// The exit codes of the host, as documented in `--help`; `exit N` may return any other.
package struct ExitStatus: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let done = ExitStatus(rawValue: 0)
    package static let failed = ExitStatus(rawValue: 1)
    package static let usage = ExitStatus(rawValue: 2)
    package static let module = ExitStatus(rawValue: 3)
    package static let refused = ExitStatus(rawValue: 4)
    package static let cancelled = ExitStatus(rawValue: 130)

    package init(_ error: any ExplainedError) {
        switch error.category {
        case .failure, .validation: self = .failed
        case .usage: self = .usage
        case .module: self = .module
        case .refused: self = .refused
        case .cancelled: self = .cancelled
        }
    }

    package static func category(of status: ExitStatus) -> ErrorCategory {
        switch status {
        case .usage: .usage
        case .module: .module
        case .refused: .refused
        case .cancelled: .cancelled
        default: .failure
        }
    }
}
