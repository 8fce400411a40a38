struct DirectoryUser: Identifiable, Codable, Hashable, Sendable {
    let id: String
    /// nil if the directory does not have it, as on this machine.
    let email: String?
    /// nil until a profile gives one.
    let displayName: String?
    let status: UserStatus
    var name: String { displayName ?? email ?? id }
}

enum UserStatus: String, CaseIterable, Codable, Hashable, Sendable {
    case active, inactive
}

struct Person: Codable, Hashable, Sendable {
    let user: DirectoryUser
    /// nil if none was submitted yet.
    let profile: Profile?
}
