/// Somebody in the directory, with what they tell about themselves.
struct Person: Codable, Hashable, Sendable {
    let user: DirectoryUser
    /// nil where none was submitted yet.
    let profile: Profile?
}

/// What became of asking for one of several profiles.
struct ProfileLookup: Sendable {
    /// The account that was asked for.
    let id: String
    /// The profile, nil where none was submitted yet; or why it could not be read.
    let outcome: Result<Profile?, any Error>
}
