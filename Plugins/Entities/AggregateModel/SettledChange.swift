import AtriumKit

/// A change that is no longer pending.
struct SettledChange: Sendable, Hashable {
    /// Its number; nil for one that never was pending.
    let id: PendingChange.ID?
    /// What was made; nil where it came to nothing, or is not known.
    let change: EntityChange?
    /// Whether something may have been made that is not known: the answer was lost, or is out of date.
    var mayHaveChanged = false
}

/// A change that failed.
struct FailedChange: Sendable, Equatable {
    let kind: PendingChange.Kind
    let reason: LoadFailure
    /// Whether somebody waited for it, and was told.
    let wasAwaited: Bool

    /// The entity that was to change; below 0 for one that was to be created.
    var entityID: Int { kind.entityID }

    /// What is shown of it where nobody was told.
    ///
    /// For example `The entity could not be created: The entity service does not answer.`
    var message: String { kind.command.failure + ": " + reason.message }
}
