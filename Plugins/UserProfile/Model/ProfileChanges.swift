/// What was set in the form and is not submitted yet.
///
/// Only fields that were set have a value, so that a profile that changes elsewhere in the meantime keeps
/// its other fields.
struct ProfileChanges: Codable, Hashable, Sendable {
    var firstName: String?
    var lastName: String?
    var age: Int?
    /// Empty where the bio is to be removed.
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
        if let bio { profile.bio = bio.trimmed.isEmpty ? nil : bio.trimmed }
        return profile
    }

    /// These changes, replaced by those of `other` where it has some.
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

    /// These changes without those that `submitted` has as well; what was set anew since stays.
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
    /// - Throws: ``ValidationError`` where the text cannot be read as the field's value.
    func setting(_ field: ProfileField, to text: String) throws -> ProfileChanges {
        var changes = self
        switch field {
        case .firstName: changes.firstName = text
        case .lastName: changes.lastName = text
        case .bio: changes.bio = text
        case .age:
            guard let age = Int(text.trimmed) else { throw ValidationError.notANumber(text) }
            changes.age = age
        }
        return changes
    }
}
