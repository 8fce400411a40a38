@_spi(Host) package import AtriumKit

/// Where a module is in its life.
package enum ModuleState: Sendable {
    /// Its manifest was read.
    case discovered
    /// What it requires is there; it can be started.
    case resolved
    /// It waits for modules that it requires; the sentence says for which and why.
    case waiting(String)
    /// It is being loaded, registered and activated.
    case starting
    /// It works.
    case active
    /// It is being stopped.
    case stopping
    /// It was stopped.
    case stopped
    /// It can't work; the error says why.
    case failed(any ExplainedError)

    /// The state in one word.
    package var name: String {
        switch self {
        case .discovered: "discovered"
        case .resolved: "resolved"
        case .waiting: "waiting"
        case .starting: "starting"
        case .active: "active"
        case .stopping: "stopping"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }

    /// Why it is so, where that is not as it should be.
    package var reason: String? {
        switch self {
        case .waiting(let reason): reason
        case .failed(let error): error.message
        default: nil
        }
    }

    /// The next step, where there is one.
    package var hint: String? {
        switch self {
        case .waiting: "Add what it requires to modules.json."
        case .failed(let error): error.hint
        default: nil
        }
    }

    package var isActive: Bool {
        if case .active = self { true } else { false }
    }
}
