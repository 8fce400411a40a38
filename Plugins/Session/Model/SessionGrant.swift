import AtriumKit

struct SessionGrant: Codable, Hashable, Sendable {
    let user: SessionUser
    let credential: SessionCredential

    /// The lifetime of a session, in seconds: 30 days.
    static let lifetime = 30 * 24 * 60 * 60
}

struct SessionRecord: Identifiable, Codable, Hashable, Sendable {
    /// Identifies the session among the user's; not secret.
    @TextID var id: String
    let createdAt: Timestamp
    let lastUsedAt: Timestamp
    let isCurrent: Bool
}

enum SessionEvent: Hashable, Sendable {
    case ended(token: String)
    case renewed(SessionCredential)
}

/// The end of a session without a sign-out, as users read it.
enum SessionEnding: String, Sendable {
    case expired = "Your session has ended."
    case refused = "Your session was ended by the server."
    case elsewhere = "Your session was ended on another host."
}
