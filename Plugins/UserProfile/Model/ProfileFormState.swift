/// The state of the form for one account; never used for another one.
///
/// A value: what is tried on a copy and fails is forgotten with it.
struct ProfileFormState: Hashable, Sendable {
    /// Whose form it is.
    let account: String
    /// The profile as it is stored; nil before it is loaded.
    private(set) var stored: StoredProfile?
    /// What the person knows to be stored: what they were shown when they set a field, or were told since; nil
    /// before it is loaded.
    private(set) var known: Profile?
    /// What was set and not submitted.
    var changes = ProfileChanges()
    /// What is wrong with a field, for a message beside it.
    var problems: [ProfileField: String] = [:]

    /// The fields of which the person was told that they were changed elsewhere, too.
    private var told: Set<ProfileField> = []

    /// The form as it is kept between runs, or a new one.
    init(account: String, changes: ProfileChanges = ProfileChanges(), known: Profile? = nil) {
        self.account = account
        self.changes = changes
        self.known = known
    }

    /// What is to be submitted, and what it is based on.
    var edit: ProfileEdit {
        let stored = stored ?? .none
        return ProfileEdit(
            account: account, changes: changes, stored: stored, known: known ?? stored.profile)
    }

    /// The profile as it would be submitted.
    var draft: Profile { edit.draft }

    /// The fields that were changed elsewhere while they were being changed here, whether the person was told
    /// or not, with what is stored in each; nil for nothing.
    var contested: [ProfileField: String?] {
        let (stored, draft) = (stored?.profile ?? Profile(), draft)
        let fields = told.union(edit.conflicts.map(\.field)).intersection(changes.fields)
            .filter { draft.text(of: $0) != stored.text(of: $0) }
        return Dictionary(uniqueKeysWithValues: fields.map { ($0, stored.text(of: $0)) })
    }

    /// Takes what is stored by now; what was set stays.
    ///
    /// A field that was not set shows what is stored, so the person knows it.
    mutating func load(_ stored: StoredProfile) {
        let before = known ?? stored.profile
        self.stored = stored
        var known = stored.profile
        for field in changes.fields { known.take(field, from: before) }
        self.known = known
    }

    /// Takes what is stored by now, of which the person was told where it conflicts with what they set.
    private mutating func tell(_ conflict: ProfileConflict) {
        stored = conflict.stored
        known = conflict.stored.profile
        told.formUnion(conflict.fields.map(\.field))
    }

    /// Shows why `attempt`, a copy of the form that was submitted, is not stored.
    mutating func show(_ error: any Error, of attempt: ProfileFormState) {
        if let error = error as? ValidationError {
            var attempt = attempt
            _ = attempt.validate()
            attempt.show(error.findings)
            problems = attempt.problems
        } else if let conflict = error as? ProfileConflict {
            tell(conflict)
        }
    }

    /// Forgets what was submitted and is stored now; what was set since stays.
    mutating func settle(_ submitted: ProfileChanges, stored: StoredProfile) {
        self.stored = stored
        known = stored.profile
        changes = changes.removing(submitted)
        (problems, told) = ([:], [])
    }

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

    /// Forgets what was set in some fields.
    mutating func reset(_ fields: [ProfileField] = ProfileField.allCases) {
        changes = changes.removing(fields)
        for field in fields {
            problems[field] = nil
            if let stored { known?.take(field, from: stored.profile) }
        }
        told.subtract(fields)
    }

    /// Puts each finding beside its field, in place of what was there.
    mutating func show(_ findings: [ValidationFinding]) {
        for (field, found) in Dictionary(grouping: findings, by: \.field) {
            problems[field] = found.map(\.message).joined(separator: " ")
        }
    }
}
