import AtriumKit

/// What a person tells about themselves.
struct Profile: Codable, Hashable, Sendable {
    var firstName = ""
    var lastName = ""
    /// In years; nil until it is given.
    var age: Int?
    /// A few words about the person; nil for none.
    var bio: String?

    /// The longest first or last name.
    static let maximumName = 100
    /// The longest bio.
    static let maximumBio = 2_000
    /// What an age can be.
    static let ages = 0...150

    /// Both names, as views greet the person.
    var fullName: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The text of one field as the form shows it; nil where there is none.
    func text(of field: ProfileField) -> String? {
        switch field {
        case .firstName: firstName.isEmpty ? nil : firstName
        case .lastName: lastName.isEmpty ? nil : lastName
        case .age: age.map(String.init)
        case .bio: bio
        }
    }

    /// Makes one field what it is in `other`.
    mutating func take(_ field: ProfileField, from other: Profile) {
        switch field {
        case .firstName: firstName = other.firstName
        case .lastName: lastName = other.lastName
        case .age: age = other.age
        case .bio: bio = other.bio
        }
    }

    /// Every rule of a field that the profile breaks, in the order of the form; empty where it is complete.
    func validate() -> [ValidationFinding] {
        ProfileField.allCases.flatMap { validate($0) }
    }

    /// The rules that one field breaks.
    func validate(_ field: ProfileField) -> [ValidationFinding] {
        problems(of: field).map { ValidationFinding(field: field, message: $0) }
    }

    private func problems(of field: ProfileField) -> [String] {
        switch field {
        case .firstName:
            TextRule(subject: "The first name", maximum: Self.maximumName).problems(of: firstName)
        case .lastName:
            TextRule(subject: "The last name", maximum: Self.maximumName).problems(of: lastName)
        case .age: ageProblems
        case .bio:
            TextRule(subject: "The bio", maximum: Self.maximumBio, isRequired: false, allowsLines: true)
                .problems(of: bio ?? "")
        }
    }

    private var ageProblems: [String] {
        guard let age else { return ["The age is missing."] }
        guard !Self.ages.contains(age) else { return [] }
        return ["The age must be from \(Self.ages.lowerBound) to \(Self.ages.upperBound), not \(age)."]
    }
}
