import AtriumKit

/// A session of a person, on this machine or another one, as they are told of it.
struct SessionRecord: Identifiable, Hashable, Sendable {
    /// Tells it apart from the person's other sessions; no secret.
    let id: String
    let createdAt: Timestamp
    /// When something was last asked for in it, as far as the service keeps that.
    let lastUsedAt: Timestamp
    /// Whether it is the session of this process.
    let isCurrent: Bool
}
