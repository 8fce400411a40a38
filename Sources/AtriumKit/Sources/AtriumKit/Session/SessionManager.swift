public import Observation

/// Who is signed in: the one session that the host and all modules share.
///
/// Holds state only. View models read it as ``SessionState``; repositories write it through the
/// ``SessionWriter`` of their context, after success.
@MainActor
@Observable
public final class SessionManager {
    /// The session of this process.
    public static let shared = SessionManager()

    /// Who is signed in; nil for a guest.
    public private(set) var user: SessionUser?

    /// What proves it to services; nil for a guest.
    ///
    /// Not for modules: their repositories have it through ``SessionWriter``.
    private(set) var credential: SessionCredential?

    /// Where the stack of screens is; see ``navigationState``.
    @ObservationIgnored private weak var stack: (any NavigationStack)?

    /// Those who are told of changes as they happen, where observing would be late or coalesce them.
    @ObservationIgnored let observers = ObserverList<SessionChange>()

    private init() {}

    /// The places that are on the stack of screens, the current one last.
    ///
    /// Mirrors the stack: what moves that changes this, and setting this moves the stack. A stack that refuses,
    /// because of a guard or an unknown link, leaves both as they are and tells the person.
    @ObservationIgnored
    public internal(set) var navigationState: NavigationPath {
        get {
            access(keyPath: \.navigationState)
            return stack?.path ?? NavigationPath()
        }
        set { if newValue != stack?.path { stack?.go(to: newValue) } }
    }

    /// Makes `stack` the one that ``navigationState`` mirrors.
    @_spi(Host) public func mirror(_ stack: any NavigationStack) {
        self.stack = stack
        navigationDidChange()
    }

    /// Tells those who observe ``navigationState`` that the stack has changed.
    @_spi(Host) public func navigationDidChange() {
        withMutation(keyPath: \.navigationState) {}
    }

    /// A session of its own, for a test that must not touch the one of the process.
    @_spi(Host) public static func isolated() -> SessionManager {
        SessionManager()
    }

    func set(user: SessionUser?, credential: SessionCredential?) {
        let former = self.user
        self.user = user
        self.credential = credential
        if former?.id != user?.id {
            observers.send(user.map(SessionChange.signedIn) ?? .signedOut)
        } else if let user, former != user {
            observers.send(.updated(user))
        }
    }

    /// Puts back what an earlier process stored, or forgets everything.
    @_spi(Host) public func restore(_ stored: StoredSession?) {
        set(user: stored?.user, credential: stored?.credential)
    }

    /// What is to be stored for the next process; nil for a guest.
    @_spi(Host) public var stored: StoredSession? {
        guard let user, let credential else { return nil }
        return StoredSession(user: user, credential: credential)
    }
}

/// The person of a session.
public struct SessionUser: Sendable, Hashable, Codable {
    /// The account's identifier.
    public let id: String
    public let email: String
    /// The name that views greet the person with; nil until a profile gives one.
    public var displayName: String?

    public init(id: String, email: String, displayName: String? = nil) {
        self.id = id
        self.email = email
        self.displayName = displayName
    }
}

/// The token of a session and when it ends.
public struct SessionCredential: Sendable, Hashable, Codable {
    /// The secret itself; never shown: ``description`` hides it.
    public let token: String
    public let expiresAt: Timestamp

    public init(token: String, expiresAt: Timestamp) {
        self.token = token
        self.expiresAt = expiresAt
    }

    /// Whether the session has ended at `moment`.
    public func isExpired(at moment: Timestamp) -> Bool {
        moment >= expiresAt
    }
}

extension SessionCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SessionCredential(token: hidden, expiresAt: \(expiresAt))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}

/// A session as the host keeps it between processes.
@_spi(Host) public struct StoredSession: Sendable, Hashable, Codable {
    public let user: SessionUser
    public let credential: SessionCredential
}
