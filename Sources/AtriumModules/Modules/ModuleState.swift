@_spi(Host) package import AtriumKit

/// The state of a module in its life cycle.
package enum ModuleState: Sendable {
    /// Its manifest was read.
    case discovered
    /// Its requirements are met; it is loaded on demand.
    case resolved
    /// It waits for modules that it requires; the sentence names them.
    case waiting(String)
    /// It is being loaded, registered and activated.
    case starting
    case active
    case stopping
    case stopped
    /// The user left it out of this start; the sentence says how.
    case leftOut(String)
    /// It can't run.
    case failed(any ExplainedError)
    /// It is not loaded because it did harm; the sentence says how.
    case quarantined(String)

    package var name: String {
        switch self {
        case .discovered: "discovered"
        case .resolved: "resolved"
        case .waiting: "waiting"
        case .starting: "starting"
        case .active: "active"
        case .stopping: "stopping"
        case .stopped, .leftOut: "stopped"
        case .failed: "failed"
        case .quarantined: "quarantined"
        }
    }

    /// The reason why the module does not run; nil if it does, or was stopped.
    package var reason: String? {
        switch self {
        case .waiting(let reason), .quarantined(let reason), .leftOut(let reason): reason
        case .failed(let error): error.message
        default: nil
        }
    }

    /// The next step for module `name`, if there is one.
    package func hint(for name: String) -> String? {
        switch self {
        case .waiting: "Add what it requires with 'module add', or to modules.json."
        case .failed(let error): error.hint
        case .quarantined, .leftOut: "module start \(name)"
        default: nil
        }
    }

    package var isActive: Bool {
        if case .active = self { true } else { false }
    }

    /// True if it is running, or loaded on demand.
    var isAvailable: Bool {
        switch self {
        case .active, .resolved: true
        default: false
        }
    }
}
