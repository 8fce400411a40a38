package import AtriumKit

/// The exit codes of the host.
package enum ExitStatus: Int32, Sendable {
    /// Everything was done.
    case done = 0
    /// A command failed.
    case failed = 1
    /// The host was started with options or a configuration that it can't use.
    case usage = 2
    /// A module that was needed could not be loaded.
    case module = 3
    /// A guard refused.
    case refused = 4
    /// The person cancelled.
    case cancelled = 130

    package init(_ error: any ExplainedError) {
        switch error.category {
        case .failure, .validation: self = .failed
        case .usage: self = .usage
        case .module: self = .module
        case .refused: self = .refused
        case .cancelled: self = .cancelled
        }
    }
}
