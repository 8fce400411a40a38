struct DirectoryUser: Identifiable, Codable, Hashable, Sendable {
    let id: String
    /// Nil if the directory has none, as on this machine.
    let email: String?
    /// Nil until a profile provides one.
    let displayName: String?
    let status: UserStatus
    var name: String { displayName ?? email ?? id }
}

enum UserStatus: String, CaseIterable, Codable, Hashable, Sendable {
    case active, inactive
}

struct Person: Codable, Hashable, Sendable {
    let user: DirectoryUser
    /// Nil if none was submitted yet.
    let profile: Profile?
}
