/// The state of the form for one account; never used for another one.
///
/// A value: what is tried on a copy and fails is forgotten with it.
struct ProfileFormState: Hashable, Sendable {
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

    /// Whether no field has a message beside it.
    var isValid: Bool { problems.isEmpty }

    /// Sets one field; a message that stood beside it goes.
    ///
    /// - Throws: ``ValidationError`` where the field does not accept the text; the form shows why beside the
    ///   field and is otherwise as it was.
    mutating func set(_ field: ProfileField, to text: String) throws {
        do {
            var changed = self
            changed.changes = try changes.setting(field, to: text)
            let findings = changed.draft.validate(field)
            guard findings.isEmpty else { throw ValidationError(findings: findings) }
            changed.problems[field] = nil
            self = changed
        } catch let error as ValidationError {
            show(error.findings)
            throw error
        }
    }

    /// Puts beside each field what is wrong with the draft, in place of every message that was there: one that
    /// was fixed has none.
    ///
    /// - Returns: Whether nothing is wrong.
    mutating func validate() -> Bool {
        problems = [:]
        show(draft.validate())
        return isValid
    }

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
