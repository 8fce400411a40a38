import AtriumKit

/// The values set in the form and not submitted yet.
///
/// Only fields that were set have a value, so that changes to other fields made elsewhere are kept.
struct ProfileChanges: Codable, Hashable, Sendable {
    var firstName: String?
    var lastName: String?
    var age: Int?
    var bio: String?

    /// The text of one field; nil if it was not set.
    subscript(field: ProfileField) -> String? {
        get {
            switch field {
            case .firstName: firstName
            case .lastName: lastName
            case .age: age.map(String.init)
            case .bio: bio
            }
        }
        set {
            switch field {
            case .firstName: firstName = newValue
            case .lastName: lastName = newValue
            case .age: age = newValue.flatMap { Int($0) }
            case .bio: bio = newValue
            }
        }
    }

    var fields: [ProfileField] { ProfileField.allCases.filter { self[$0] != nil } }

    func applied(to profile: Profile) -> Profile {
        var profile = profile
        if let firstName { profile.firstName = firstName.trimmed }
        if let lastName { profile.lastName = lastName.trimmed }
        if let age { profile.age = age }
        if let bio { profile.bio = bio.trimmed.nilIfEmpty }
        return profile
    }

    /// These changes, with the ones of `other` taking precedence.
    func replaced(by other: ProfileChanges) -> ProfileChanges {
        other.fields.reduce(into: self) { $0[$1] = other[$1] }
    }

    func removing(_ fields: some Sequence<ProfileField>) -> ProfileChanges {
        fields.reduce(into: self) { $0[$1] = nil }
    }

    /// These changes without those also in `submitted`; values set since stay.
    func removing(_ submitted: ProfileChanges) -> ProfileChanges {
        removing(fields.filter { self[$0] == submitted[$0] })
    }

    /// These changes with `text` in one field.
    func setting(_ field: ProfileField, to text: String) throws -> ProfileChanges {
        var changes = self
        changes[field] = field == .age ? text.trimmed : text
        guard changes[field] != nil else {
            throw ValidationError(findings: [
                ValidationFinding(
                    "The age must be a whole number, not '\(text.excerpt)'.", field: field.rawValue)
            ])
        }
        return changes
    }
}

/// Changes of a profile, and the profile as their author saw it.
struct ProfileEdit: Hashable, Sendable {
    let account: String
    let changes: ProfileChanges
    var stored: StoredProfile
    /// The stored profile as the user saw it; differences were made elsewhere.
    let known: Profile
    var draft: Profile { changes.applied(to: stored.profile) }

    /// The fields changed here, and to another value elsewhere, which the user has not seen.
    var conflicts: [ProfileConflict.Field] {
        changes.fields.compactMap { field in
            let (theirs, yours) = (stored.profile.text(of: field), draft.text(of: field))
            guard theirs != known.text(of: field), theirs != yours else { return nil }
            return ProfileConflict.Field(field: field, theirs: theirs, yours: yours)
        }
    }
}
