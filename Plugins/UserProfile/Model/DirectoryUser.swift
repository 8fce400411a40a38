struct DirectoryUser: Identifiable, Codable, Hashable, Sendable {
    let id: String
    /// nil if the directory does not have it, as on this machine.
    let email: String?
    /// nil until a profile gives one.
    let displayName: String?
    let status: UserStatus
    var name: String { displayName ?? email ?? id }
}

/// Whether an account can be signed in to.
enum UserStatus: String, CaseIterable, Codable, Hashable, Sendable {
    case active, inactive
}

struct Person: Codable, Hashable, Sendable {
    let user: DirectoryUser
    /// nil if none was submitted yet.
    let profile: Profile?
}

/// The answer to a request for one of several profiles.
struct ProfileLookup: Sendable {
    let id: String
    /// The profile, nil if none was submitted yet; or the failure.
    let result: Result<Profile?, any Error>
}
