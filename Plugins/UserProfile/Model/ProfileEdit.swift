/// Changes of a profile, and what the person who makes them knows of it.
struct ProfileEdit: Hashable, Sendable {
    let account: String
    let changes: ProfileChanges
    /// What is stored, as it was read last; the changes are made to this.
    var stored: StoredProfile
    /// What the person knows to be stored; where it differs, somebody else has changed it.
    let known: Profile

    /// The profile with the changes.
    var draft: Profile { changes.applied(to: stored.profile) }

    /// The fields that were changed here, and elsewhere to something else without the person knowing.
    var conflicts: [ProfileConflict.Field] {
        changes.fields.compactMap { field in
            let (theirs, yours) = (stored.profile.text(of: field), draft.text(of: field))
            guard theirs != known.text(of: field), theirs != yours else { return nil }
            return ProfileConflict.Field(field: field, theirs: theirs, yours: yours)
        }
    }
}
