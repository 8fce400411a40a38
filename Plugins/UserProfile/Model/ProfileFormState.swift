import AtriumKit

/// The form of one account.
///
/// A value type: an attempt works on a copy, which is dropped if it fails.
struct ProfileFormState: Hashable, Sendable {
    let account: String
    /// The stored profile; nil before it is loaded.
    private(set) var stored: StoredProfile?
    /// The stored profile as the user saw it; nil before it is loaded.
    private(set) var known: Profile?
    var changes = ProfileChanges()
    var problems: [ProfileField: String] = [:]
    private var reported: Set<ProfileField> = []

    init(account: String, changes: ProfileChanges = ProfileChanges(), known: Profile? = nil) {
        self.account = account
        self.changes = changes
        self.known = known
    }

    var edit: ProfileEdit {
        let stored = stored ?? .none
        return ProfileEdit(
            account: account, changes: changes, stored: stored, known: known ?? stored.profile)
    }

    var draft: Profile { edit.draft }

    /// The fields that were changed elsewhere too, with the stored value of each.
    var contested: [ProfileField: String?] {
        let (stored, draft) = (stored?.profile ?? Profile(), draft)
        let fields = reported.union(edit.conflicts.map(\.field)).intersection(changes.fields)
            .filter { draft.text(of: $0) != stored.text(of: $0) }
        return Dictionary(uniqueKeysWithValues: fields.map { ($0, stored.text(of: $0)) })
    }

    /// Adopts the stored profile; values set in the form stay, with their problems.
    mutating func load(_ stored: StoredProfile) {
        problems = problems.filter { changes.fields.contains($0.key) }
        let before = known ?? stored.profile
        self.stored = stored
        var known = stored.profile
        for field in changes.fields { known.take(field, from: before) }
        self.known = known
    }

    /// Takes over the profile stored now, whose conflicts were reported to the user.
    private mutating func accept(_ conflict: ProfileConflict) {
        stored = conflict.stored
        known = conflict.stored.profile
        reported.formUnion(conflict.fields.map(\.field))
    }

    /// Shows the reason `attempt`, a copy of the form, was not stored.
    mutating func show(_ error: any Error, of attempt: ProfileFormState) {
        if let error = error as? ValidationError {
            var attempt = attempt
            _ = attempt.validate()
            attempt.show(error.findings)
            problems = attempt.problems
        } else if let conflict = error as? ProfileConflict {
            accept(conflict)
        }
    }

    /// Removes the changes that are now stored; values set since stay.
    mutating func settle(_ submitted: ProfileChanges, stored: StoredProfile) {
        self.stored = stored
        known = stored.profile
        changes = changes.removing(submitted)
        (problems, reported) = ([:], [])
    }

    /// Sets one field, and removes its message.
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

    /// Checks the draft, and replaces the messages.
    mutating func validate() -> Bool {
        problems = [:]
        show(draft.validate())
        return problems.isEmpty
    }

    mutating func reset(_ fields: [ProfileField] = ProfileField.allCases) {
        changes = changes.removing(fields)
        for field in fields {
            problems[field] = nil
            if let stored { known?.take(field, from: stored.profile) }
        }
        reported.subtract(fields)
    }

    mutating func show(_ findings: [ValidationFinding]) {
        for (name, found) in Dictionary(grouping: findings, by: \.field) {
            guard let field = name.flatMap(ProfileField.init(rawValue:)) else { continue }
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}
