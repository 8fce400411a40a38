import AtriumKit

/// How far an import or an export is.
struct EntityTransfer: Hashable, Sendable {
    /// What is going on, as the beginning of a line: `Importing lamps.csv`.
    let label: String
    /// How many rows are done.
    var completed = 0

    /// What is shown of it.
    var progress: Progress { Progress("transfer", label: label, completed: completed) }
}
