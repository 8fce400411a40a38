import AtriumKit

/// A user's description of themselves.
struct Profile: Record, Codable {
    /// Empty: each user has one profile, and requests name its account.
    var id = ""
    var firstName = ""
    var lastName = ""
    var age: Int?
    var bio: String?

    static let guards: [GuardName] = [.signedIn]
    static let maximumName = 100
    static let maximumBio = 2_000
    static let minimumAge = 18
    static let fields: Fields<Profile> = [
        RecordField("firstName", "The first name", \.firstName, .length(1...maximumName)),
        RecordField("lastName", "The last name", \.lastName, .length(1...maximumName)),
        RecordField("age", "The age in years", \.age, .range(Ages.range)),
        RecordField("bio", "A few words", \.bio, .lines(0...maximumBio)),
    ]

    enum Ages: NumberLimits { static let range = 0...150 }

    private enum CodingKeys: CodingKey { case firstName, lastName, age, bio }

    var fullName: String { [firstName, lastName].filter { !$0.isEmpty }.joined(separator: " ") }

    /// The reasons that the profile can't be submitted.
    var findings: [ValidationFinding] {
        validate() + (age == nil ? [ValidationFinding("The age is missing.", field: "age")] : [])
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

    init(number: Int) { self.number = number }

    /// The version of an answer, from its number, its tag or both; nil without either.
    init?(number: Int?, tag: String?) {
        guard number != nil || tag != nil else { return nil }
        self.number = number ?? 1
        self.tag = tag == numberTag ? nil : tag
    }

    var numberTag: String { "\"\(number)\"" }

    static let none = ProfileVersion(number: 0)
    var next: ProfileVersion { ProfileVersion(number: number + 1) }
}

enum SubmissionReceipt: Codable, Hashable, Sendable {
    case accepted(ProfileVersion)
    case refused(String?)
    case outdated
}
