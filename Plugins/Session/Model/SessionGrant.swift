import AtriumKit

/// What the service answers to somebody who has proved who they are.
struct SessionGrant: Hashable, Sendable {
    let user: SessionUser
    let credential: SessionCredential

    /// How long a session lasts, in seconds: 30 days.
    static let lifetime = 30 * 24 * 60 * 60
}
