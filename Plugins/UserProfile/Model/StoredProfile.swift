/// A profile as a service keeps it.
struct StoredProfile: Codable, Hashable, Sendable {
    let profile: Profile
    let version: ProfileVersion

    /// What is stored before a profile is submitted.
    static let none = StoredProfile(profile: Profile(), version: .none)
}

/// Counts what was submitted for an account: tells whether a profile is still the one that somebody read.
struct ProfileVersion: Codable, Hashable, Sendable {
    let number: Int

    /// Nothing was submitted yet.
    static let none = ProfileVersion(number: 0)

    /// The version of what is submitted next.
    var next: ProfileVersion { ProfileVersion(number: number + 1) }
}
