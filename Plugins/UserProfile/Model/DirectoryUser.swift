import AtriumKit

/// A user as the directory lists them.
struct DirectoryUser: Record, Codable {
    var id = ""
    var name = ""
    /// Nil if the directory has none, as on this machine.
    var email: String?
    var status = UserStatus.active

    static let noun = RecordNoun("user")
    static let table = "profiles"
    static let guards: [GuardName] = [.signedIn]
    static let isReadOnly = true
    static let fields: Fields<DirectoryUser> = [
        RecordField("name", "Their name", \.name, .length(1...1_000), .searched, .sorted),
        RecordField("email", "Their e-mail address", \.email, .length(1...1_000), .searched),
        RecordField("status", "Whether they are active", \.status, .filtered),
    ]
}

enum UserStatus: String, CaseIterable, Codable, RecordValue {
    case active, inactive
}

struct Person: Codable, Hashable, Sendable {
    let user: DirectoryUser
    /// Nil if none was submitted yet.
    let profile: Profile?
}
