/// A change of the set of modules: it happens as a whole, or not at all.
struct ChangeRequest {
    var additions: [CheckedLibrary] = []
    /// Other builds of modules that are here.
    var updates: [CheckedLibrary] = []
    var removals: [String] = []
    /// The names of modules to start: at start-up, on demand, or after a failure.
    var starts: [String] = []
    /// What changes of the configuration of modules that are here.
    var configurations: [String: ConfigurationEdit] = [:]
    /// Whether the builds that follow start without the state of those before.
    var leavesState = false
    /// Whether a copy of the data that a build can read may replace the present data.
    var restoresData = false
    /// Called before the first database changes, with those that do, and before publication in any case.
    ///
    /// What it throws refuses the change.
    var willCommit: (@MainActor ([ChangeIntent.Database]) throws -> Void)?
    let cause: Cause

    enum Cause: String {
        case startUp = "start"
        case command, watch, onDemand, rollback, configuration, rollout
    }

    init(_ cause: Cause = .command) {
        self.cause = cause
    }

    @MainActor
    init(starting module: Module) {
        self.init(.onDemand)
        starts = [module.name]
    }

    /// The command that repeats it for one module.
    var command: String { cause == .rollback ? "rollback" : "update" }

    var names: [String] {
        let configured = configurations.keys.filter { !starts.contains($0) }
        return (additions + updates).map(\.name) + removals + starts + configured.sorted()
    }
}

/// What a change of the modules would do, or did, and why.
package struct ChangePlan: Sendable {
    package internal(set) var steps: [Step] = []
    /// The shared values that are rebuilt because they hold something of what changes.
    package internal(set) var rebuilt: [String] = []
    /// The links of the stack entries whose screens are rebuilt, with their saved state.
    package internal(set) var screens: [String] = []
    /// The values of configuration that are set or reset.
    package internal(set) var values: [Value] = []

    /// A value of configuration, before and afterwards.
    package struct Value: Sendable {
        package let module: String
        package let from: ConfiguredValues.Value
        /// Nil if the key is not declared, and was reset.
        package let to: ConfiguredValues.Value?

        package var key: String { from.key }

        /// In words: `delay 0.5 -> 2`, or `delay stays 2` if only where it comes from changes.
        var sentence: String {
            let (before, after) = (from.text ?? "-", to?.text ?? "-")
            guard let to, from.isSame(as: to) else { return "\(key) \(before) -> \(after)" }
            return "\(key) stays \(after)"
        }
    }

    package struct Step: Sendable {
        package let kind: Kind
        package let module: String
        /// The version before; nil if there is none.
        package let from: String?
        /// The version afterwards; nil if there is none.
        package let to: String?
        package let reason: String
        /// Whether the library is tried in a child process first, because it is new here.
        package var isTried = false
    }

    package enum Kind: String, Sendable {
        case load
        case replace
        /// Other values of configuration: loaded once more with them, if it runs.
        case configure
        case stop
        case remove
        /// Put on the list, and loaded on demand.
        case install
        /// On the list, without what it requires.
        case wait

        /// The step in the past, as the journal names it.
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
    package let plan: ChangePlan
    /// What did not end in time, or could not be kept, in sentences.
    package var warnings: [String] = []
    /// What it did beside the steps, such as migrations of data, in sentences.
    package var notes: [String] = []
    /// How long it took once the libraries were copied and checked.
    package var duration: Duration = .zero
}
