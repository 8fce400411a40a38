package import AtriumKit
package import AtriumLibraries

/// A change to the set of modules: it happens completely or not at all.
package struct ChangeRequest {
    var additions: [CheckedLibrary] = []
    /// Other builds of modules that the host already has.
    package var updates: [CheckedLibrary] = []
    var removals: [String] = []
    /// The names of modules to start: at start-up, on demand, or after a failure.
    var starts: [String] = []
    /// Configuration edits of modules that the host already has.
    var configurations: [String: ConfigurationEdit] = [:]
    /// The repositories that libraries come from, by the digest of the library.
    package var origins: [String: String] = [:]
    /// True if the new builds start without the state of the previous ones.
    var leavesState = false
    /// True if a copy of the data that a build can read may replace the present data.
    var restoresData = false
    /// Called with the databases that change, before the first one does, and before publication in any case.
    ///
    /// An error that it throws refuses the change.
    var willCommit: (@MainActor ([ChangeIntent.Database]) throws -> Void)?
    let cause: Cause
    /// Sentences about what a user has to confirm first.
    package internal(set) var doubts: [String] = []

    package enum Cause: String {
        case startUp = "start"
        case command, watch, onDemand, rollback, configuration, rollout
    }

    package init(_ cause: Cause = .command) {
        self.cause = cause
    }

    @MainActor
    package init(starting module: Module) {
        self.init(.onDemand)
        starts = [module.name]
    }

    /// The command that repeats the change for one module.
    var command: String { cause == .rollback ? "rollback" : "update" }

    var names: [String] {
        let configured = configurations.keys.filter { !starts.contains($0) }
        return (additions + updates).map(\.name) + removals + starts + configured.sorted()
    }
}

/// The effects of a module change, planned or done, with reasons.
package struct ChangePlan: Sendable {
    package internal(set) var steps: [Step] = []
    /// The shared values that are rebuilt because they hold objects of the changing modules.
    package internal(set) var rebuilt: [String] = []
    /// The links of the stack entries whose screens are rebuilt, with their saved state.
    package internal(set) var screens: [String] = []
    /// The values of configuration that are set or reset.
    package internal(set) var values: [Value] = []
    /// The contracts that are opened, and those of which newer versions count from the next start.
    package internal(set) var contracts: [Contract] = []
    /// What the new libraries may reach; only of a plan that is shown.
    package internal(set) var reaches: [Reach] = []
    /// Sentences about what has to be confirmed before the change.
    package internal(set) var doubts: [String] = []
    /// Sentences about arriving modules that are no faults.
    package internal(set) var notes: [String] = []
    /// The modules that get, exchange or lose a module that they use where it is there.
    package internal(set) var uses: [Use] = []

    package struct Contract: Sendable {
        package let name: String
        /// The open version, which stays until the host ends; nil if the contract is opened by the change.
        package let from: String?
        package let to: String
        /// The modules that are built on it.
        package internal(set) var modules: [String]
        /// Sentences about what would not start with it at the next start.
        package let problems: [String]

        package init(name: String, from: String?, to: String, modules: [String], problems: [String] = []) {
            (self.name, self.from, self.to, self.modules) = (name, from, to, modules)
            self.problems = problems
        }
    }

    /// A module and one that it uses, of a version that fits before the change or after it.
    package struct Use: Sendable {
        package let module: String
        package let used: String
        package let range: String
        /// The version that is used before the change; nil if none is.
        package let from: String?
        /// The version that is used afterwards; nil if none is.
        package let to: String?
        /// The version that is there afterwards and does not fit.
        package let unfit: String?
        /// True if what the module has built is built again.
        package let isRebuilt: Bool
    }

    /// A value of configuration, before and afterwards.
    package struct Value: Sendable {
        package let module: String
        package let from: ConfiguredValues.Value
        /// Nil if the key is not declared, and was reset.
        package let to: ConfiguredValues.Value?

        package var key: String { from.key }

        /// A sentence: `delay 0.5 -> 2`, or `delay stays 2` if only its origin changes.
        var sentence: String {
            let (before, after) = (from.text ?? "-", to?.text ?? "-")
            guard let to, from.isSame(as: to) else { return "\(key) \(before) -> \(after)" }
            return "\(key) stays \(after)"
        }
    }

    package struct Step: Sendable {
        package let kind: Kind
        package let module: String
        /// The version before the change; nil if there is none.
        package let from: String?
        /// The version after the change; nil if there is none.
        package let to: String?
        package let reason: String
        /// The build that a rollback returns to, in words.
        package var formerBuild: String?
        /// True if the library is tried in a child process first, because this host has not run it before.
        package var isTried = false
    }

    package enum Kind: String, Sendable {
        case load
        case replace
        /// New configuration values; reloads the module if it is running.
        case configure
        case stop
        case remove
        /// Added to the list, and loaded on demand.
        case install
        /// On the list, but without its requirements.
        case wait

        /// The step in the past tense, as the journal names it.
        var past: String {
            switch self {
            case .load: "loaded"
            case .replace: "replaced"
            case .configure: "configured"
            case .stop: "stopped"
            case .remove: "removed"
            case .install: "installed"
            case .wait: "waiting"
            }
        }
    }
}

package struct ChangeReport: Sendable {
    package internal(set) var plan: ChangePlan
    package var events: [ModuleEvent] = []
    package var warnings: [ModuleEvent] { events.filter { $0.level == .warning } }
    /// The time from when the libraries were copied and checked.
    package var duration: Duration = .zero
}

/// An event beyond the steps of a plan.
package struct ModuleEvent: ExplainedError {
    /// A note reports an effect, such as a data migration; a warning, a timeout or a failed save.
    package internal(set) var level = Level.warning
    package let code: ErrorCode
    package let message: String
    package internal(set) var hint: String?

    package enum Level: Sendable { case note, warning }
}
