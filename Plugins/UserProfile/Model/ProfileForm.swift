/// What the form keeps for one account; never used for another one.
struct ProfileForm: Hashable, Sendable {
    /// Whose form it is.
    let account: String
    /// The profile as it is stored, empty where none was submitted yet; nil before it is loaded.
    var stored: Profile?
    /// What was set and not submitted.
    var changes = ProfileChanges()
    /// What is wrong with a field, for a message beside it.
    var problems: [ProfileField: String] = [:]

    /// The profile as it would be submitted.
    var draft: Profile { changes.applied(to: stored ?? Profile()) }

    /// Forgets what was set.
    mutating func reset() {
        changes = ProfileChanges()
        problems = [:]
    }

    /// Puts each finding beside its field, in place of what was there.
    mutating func show(_ findings: [ValidationFinding]) {
        for (field, found) in Dictionary(grouping: findings, by: \.field) {
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}
