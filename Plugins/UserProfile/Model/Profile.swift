import AtriumKit

/// A user's description of themselves.
struct Profile: Codable, Hashable, Sendable {
    var firstName = ""
    var lastName = ""
    var age: Int?
    var bio: String?
    static let maximumName = 100
    static let maximumBio = 2_000
    static let ages = 0...150
    static let minimumAge = 18

    enum Ages: NumberLimits {
        static var range: ClosedRange<Int> { Profile.ages }
    }

    var fullName: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }

    func text(of field: ProfileField) -> String? {
        switch field {
        case .firstName: firstName.nilIfEmpty
        case .lastName: lastName.nilIfEmpty
        case .age: age.map(String.init)
        case .bio: bio
        }
    }

    mutating func take(_ field: ProfileField, from other: Profile) {
        switch field {
        case .firstName: firstName = other.firstName
        case .lastName: lastName = other.lastName
        case .age: age = other.age
        case .bio: bio = other.bio
        }
    }

    func validate() -> [ValidationFinding] {
        ProfileField.allCases.flatMap { validate($0) }
    }

    func validate(_ field: ProfileField) -> [ValidationFinding] {
        problems(of: field).map { ValidationFinding($0, field: field.rawValue) }
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

/// A field of the profile form, by the name that users type.
enum ProfileField: String, CaseIterable, Hashable, Sendable, Codable {
    case firstName, lastName, age, bio

    /// The field within a sentence: "first name".
    var words: String {
        switch self {
        case .firstName: "first name"
        case .lastName: "last name"
        case .age: "age"
        case .bio: "bio"
        }
    }

    /// Fields as the subject of a sentence: "The first name, the last name and the age".
    static func subject(_ fields: [ProfileField]) -> String {
        let names = fields.map { "the \($0.words)" }
        let words = [names.dropLast().joined(separator: ", "), names.last ?? ""].filter { !$0.isEmpty }
        let text = words.joined(separator: " and ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

/// A profile as a service stores it.
struct StoredProfile: Codable, Hashable, Sendable {
    let profile: Profile
    let version: ProfileVersion
    static let none = StoredProfile(profile: Profile(), version: .none)
}

/// The number of submissions of an account, to detect changes since a profile was read.
struct ProfileVersion: Codable, Hashable, Sendable {
    @RowCount private(set) var number: Int
    /// The server's tag of the version, if it differs from the number in quotes.
    var tag: String?

    init(number: Int) {
        self.number = number
    }

    /// The version of an answer, from its number, its tag or both; nil without either.
    init?(number: Int?, tag: String?) {
        guard number != nil || tag != nil else { return nil }
        self.number = number ?? 1
        self.tag = tag == "\"\(self.number)\"" ? nil : tag
    }

    static let none = ProfileVersion(number: 0)
    var next: ProfileVersion { ProfileVersion(number: number + 1) }
}

enum SubmissionReceipt: Hashable, Sendable {
    case accepted(ProfileVersion)
    case refused(String?)
    case outdated
}
