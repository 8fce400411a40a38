/// What is asked of the set of modules, as one change: all of it happens, or nothing.
package struct ChangeRequest: Sendable {
    /// Modules that are not there yet.
    package var additions: [Candidate] = []
    /// Other builds of modules that are there.
    package var updates: [Candidate] = []
    /// The names of modules that leave.
    package var removals: [String] = []
    /// The names of modules that are to be started: on demand, or lifted from quarantine.
    package var demands: [String] = []
    /// Who asks.
    package let cause: Cause

    /// Who asks for a change.
    package enum Cause: String, Sendable {
        case command, watch, demand, rollback
    }

    package init(_ cause: Cause = .command) {
        self.cause = cause
    }

    /// Whether nothing is asked for.
    package var isEmpty: Bool { additions.isEmpty && updates.isEmpty && removals.isEmpty && demands.isEmpty }
}
