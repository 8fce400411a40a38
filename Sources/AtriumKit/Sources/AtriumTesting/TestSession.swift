@_spi(Host) public import AtriumKit

/// A session of its own, as a test wants it; the one of the process stays untouched.
@MainActor
public final class TestSession {
    let manager = SessionManager.isolated()

    /// - Parameters:
    ///   - user: Who is signed in; nobody unless given.
    ///   - expiresAt: When the session ends; a day after the start of ``FixedClock`` unless given.
    public init(
        _ user: SessionUser? = nil, expiresAt: Timestamp = FixedClock().now().adding(seconds: 86_400)
    ) {
        guard let user else { return }
        writer.signIn(user, credential: SessionCredential(token: "test-token", expiresAt: expiresAt))
    }

    /// The session as repositories see it.
    public var writer: SessionWriter { SessionWriter(manager) }

    /// The session as view models see it.
    public var state: SessionState { SessionState(manager) }
}
