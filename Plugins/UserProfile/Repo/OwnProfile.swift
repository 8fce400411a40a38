import AtriumKit

/// The signed-in person, and what they submitted last.
struct OwnProfile: Hashable, Sendable {
    let user: SessionUser
    /// nil where none was submitted yet.
    let stored: StoredProfile?
    /// When it was last seen at the service, where that can't be asked now; nil where it was asked.
    let asOf: Timestamp?

    init(user: SessionUser, stored: StoredProfile?) {
        (self.user, self.stored, asOf) = (user, stored, nil)
    }

    /// What a copy knows.
    init(user: SessionUser, _ copy: Stale<StoredProfile>) {
        (self.user, asOf) = (user, copy.asOf)
        stored = copy.value == .none ? nil : copy.value
    }

    var profile: Profile? { stored?.profile }
}
