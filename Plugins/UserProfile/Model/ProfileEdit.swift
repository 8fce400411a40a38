import AtriumKit

/// Changes of an account's profile, and the profile that they are made to.
struct ProfileEdit: Hashable, Sendable {
    let account: String
    let changes: RecordChanges<Profile>
    var stored: StoredProfile
    var draft: Profile { changes.applied(to: stored.profile) }
}
