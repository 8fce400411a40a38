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

    /// Fields as the beginning of a sentence: "The first name, the last name and the age".
    static func subject(_ fields: [ProfileField]) -> String {
        let names = fields.map { "the \($0.words)" }
        let words = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
        let text = words.joined(separator: " and ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
