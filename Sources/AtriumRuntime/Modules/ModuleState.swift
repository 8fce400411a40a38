@_spi(Host) package import AtriumKit

/// Where a module is in its life.
package enum ModuleState: Sendable {
    /// Its manifest was read.
    case discovered
    /// What it requires is there; it can be started, and is when it is first wanted.
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
    /// It worked and did harm, so it is not loaded; the sentence says what it did.
    case quarantined(String)

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
        case .quarantined: "quarantined"
        }
    }

    /// Why it is so, where that is not as it should be.
    package var reason: String? {
        switch self {
        case .waiting(let reason), .quarantined(let reason): reason
        case .failed(let error): error.message
        default: nil
        }
    }

    /// The next step for module `name`, where there is one.
    package func hint(for name: String) -> String? {
        switch self {
        case .waiting: "Add what it requires with 'module add', or to modules.json."
        case .failed(let error): error.hint
        case .quarantined: "module release \(name)"
        default: nil
        }
    }

    package var isActive: Bool {
        if case .active = self { true } else { false }
    }

    /// Whether it works, or would as soon as it is wanted.
    var isAvailable: Bool {
        switch self {
        case .active, .resolved: true
        default: false
        }
    }
}
