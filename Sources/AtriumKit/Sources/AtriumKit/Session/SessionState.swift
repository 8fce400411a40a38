/// The session as view models and aggregate models see it: read-only.
@MainActor
public struct SessionState {
    private let manager: SessionManager

    @_spi(Host) public init(_ manager: SessionManager) {
        self.manager = manager
    }

    /// Who is signed in; nil for a guest; observable.
    public var user: SessionUser? { manager.user }

    /// Whether somebody is signed in.
    public var isSignedIn: Bool { manager.user != nil }

    /// The links of the stack's entries; observable.
    public var navigationState: NavigationPath { manager.navigationState }

    /// When the session ends; nil for a guest.
    public var expiresAt: Timestamp? {
        manager.credential.flatMap { $0.hasExpiry ? $0.expiresAt : nil }
    }

    /// The types of the observers that still exist.
    public var observerNames: [String] { manager.observers.names }

    /// Notifies `observer`, held weakly, of every change of the user, in its turn; screens read ``user`` instead.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, SessionChange) -> Void
    ) {
        manager.observers.add(observer, notify)
    }
}

/// The session as repositories see it: to read, and to write after success.
@MainActor
public struct SessionWriter {
    private let manager: SessionManager

    @_spi(Host) public init(_ manager: SessionManager) {
        self.manager = manager
    }

    /// Who is signed in; nil for a guest.
    public var user: SessionUser? { manager.user }

    /// The credential for services; nil for a guest.
    public var credential: SessionCredential? { manager.credential }

    /// The links of the stack's entries; setting them navigates.
    public var navigationState: NavigationPath {
        get { manager.navigationState }
        nonmutating set { manager.navigationState = newValue }
    }

    /// Signs `user` in.
    public func signIn(_ user: SessionUser, credential: SessionCredential) {
        manager.set(user: user, credential: credential)
    }

    /// Updates the signed-in person's data; does nothing for a guest or another person.
    public func update(_ user: SessionUser) {
        guard manager.user?.id == user.id else { return }
        manager.set(user: user, credential: manager.credential)
    }

    /// Signs the person out.
    public func signOut() { manager.set(user: nil, credential: nil) }

    /// Notifies `observer`, held weakly, of every change of the user, in its turn.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, SessionChange) -> Void
    ) {
        manager.observers.add(observer, notify)
    }
}

/// A change of the session, sent at once on the main actor.
public enum SessionChange: Sendable, Hashable {
    /// Another person is signed in.
    case signedIn(SessionUser)
    /// The signed-in person's data changed.
    case updated(SessionUser)
    /// The person signed out.
    case signedOut
}
