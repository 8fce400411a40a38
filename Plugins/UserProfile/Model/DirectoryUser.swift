/// A person as the user directory lists them.
struct DirectoryUser: Identifiable, Codable, Hashable, Sendable {
    /// The account.
    let id: String
    /// nil where the directory does not know it, as on this machine.
    let email: String?
    /// nil until a profile gives one.
    let displayName: String?
    let status: UserStatus

    /// What the person is called, and sorted by.
    var name: String { displayName ?? email ?? id }
}

/// Whether an account can be signed in to.
enum UserStatus: String, CaseIterable, Codable, Hashable, Sendable {
    case active, inactive
}
