/// A field of the profile form, by the name that people type.
enum ProfileField: String, CaseIterable, Hashable, Sendable, Codable {
    case firstName, lastName, age, bio

    /// The field in a sentence: "first name".
    var words: String {
        switch self {
        case .firstName: "first name"
        case .lastName: "last name"
        case .age: "age"
        case .bio: "bio"
        }
    }
}
