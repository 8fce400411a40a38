import AtriumKit

/// What was set in the form and is not submitted yet.
///
/// Only fields that were set have a value, so that changes of other fields elsewhere are kept.
struct ProfileChanges: Codable, Hashable, Sendable {
    var firstName: String?
    var lastName: String?
    var age: Int?
    var bio: String?

    /// The fields that were set, in the order of the form.
    var fields: [ProfileField] {
        ProfileField.allCases.filter { field in
            switch field {
            case .firstName: firstName != nil
            case .lastName: lastName != nil
            case .age: age != nil
            case .bio: bio != nil
            }
        }
    }

    /// `profile` with the fields that were set.
    func applied(to profile: Profile) -> Profile {
        var profile = profile
        if let firstName { profile.firstName = firstName.trimmed }
        if let lastName { profile.lastName = lastName.trimmed }
        if let age { profile.age = age }
        if let bio { profile.bio = bio.trimmed.nilIfEmpty }
        return profile
    }

    /// These changes, with those of `other` before them.
    func replaced(by other: ProfileChanges) -> ProfileChanges {
        ProfileChanges(
            firstName: other.firstName ?? firstName, lastName: other.lastName ?? lastName,
            age: other.age ?? age, bio: other.bio ?? bio)
    }

    /// These changes without those of some fields.
    func removing(_ fields: some Sequence<ProfileField>) -> ProfileChanges {
        var changes = self
        for field in fields {
            switch field {
            case .firstName: changes.firstName = nil
            case .lastName: changes.lastName = nil
            case .age: changes.age = nil
            case .bio: changes.bio = nil
            }
        }
        return changes
    }

    /// These changes without those that `submitted` has as well; what was set since stays.
    func removing(_ submitted: ProfileChanges) -> ProfileChanges {
        removing(
            fields.filter { field in
                switch field {
                case .firstName: firstName == submitted.firstName
                case .lastName: lastName == submitted.lastName
                case .age: age == submitted.age
                case .bio: bio == submitted.bio
                }
            })
    }

    /// These changes with `text` in one field.
    ///
    /// - Throws: ``ValidationError`` if the text is no value of the field.
    func setting(_ field: ProfileField, to text: String) throws -> ProfileChanges {
        var changes = self
        switch field {
        case .firstName: changes.firstName = text
        case .lastName: changes.lastName = text
        case .bio: changes.bio = text
        case .age:
            guard let age = Int(text.trimmed) else {
                throw ValidationError(findings: [
                    ValidationFinding(
                        "The age must be a whole number, not '\(text)'.", field: ProfileField.age.rawValue)
                ])
            }
            changes.age = age
        }
        return changes
    }
}

/// Changes of a profile, and the profile as their author knows it.
struct ProfileEdit: Hashable, Sendable {
    let account: String
    let changes: ProfileChanges
    var stored: StoredProfile
    /// The stored profile as the person has seen it; differences were made elsewhere.
    let known: Profile
    var draft: Profile { changes.applied(to: stored.profile) }

    /// The fields that were changed here, and elsewhere to something else that the person has not seen.
    var conflicts: [ProfileConflict.Field] {
        changes.fields.compactMap { field in
            let (theirs, yours) = (stored.profile.text(of: field), draft.text(of: field))
            guard theirs != known.text(of: field), theirs != yours else { return nil }
            return ProfileConflict.Field(field: field, theirs: theirs, yours: yours)
        }
    }
}
