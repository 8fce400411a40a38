/// The session as view models and aggregate models see it: read-only.
@MainActor
public struct SessionState {
    private let manager: SessionManager

    @_spi(Host) public init(_ manager: SessionManager) {
        self.manager = manager
    }

    /// The signed-in user; nil for a guest; observable.
    public var user: SessionUser? { manager.user }

    /// True if a user is signed in.
    public var isSignedIn: Bool { manager.user != nil }

    /// The links of the stack's entries; observable.
    public var navigationState: NavigationPath { manager.navigationState }

    /// True if the current screen is that of `destination`, so that its actions can be typed without its link.
    public func isCurrent(_ destination: some Destination) -> Bool {
        guard let current = navigationState.links.last else { return false }
        return (try? destination.link().description) == current
    }

    /// When the session ends; nil for a guest, or if unknown.
    public var expiresAt: Timestamp? {
        manager.credential.flatMap { $0.hasExpiry ? $0.expiresAt : nil }
    }

    /// The type names of the observers that still exist.
    public var observerNames: [String] { manager.observers.names }

    /// Notifies `observer`, held weakly, of every change of the user, in order; screens read ``user``
    /// instead.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, SessionChange) -> Void
    ) {
        manager.observers.add(observer, notify)
    }
}

/// The session as repositories see it: readable at any time, written after success.
@MainActor
public struct SessionWriter {
    private let manager: SessionManager

    @_spi(Host) public init(_ manager: SessionManager) {
        self.manager = manager
    }

    /// The signed-in user; nil for a guest.
    public var user: SessionUser? { manager.user }

    /// The signed-in user whose session has not expired at `moment`, for a repository whose services check the
    /// credential themselves.
    ///
    /// - Throws: ``ServiceError/notAuthenticated`` otherwise.
    public func signedInUser(at moment: Timestamp) throws -> SessionUser {
        guard let user, let credential, !credential.isExpired(at: moment) else {
            throw ServiceError.notAuthenticated
        }
        return user
    }

    /// The credential for services; nil for a guest.
    public var credential: SessionCredential? { manager.credential }

    /// True if another host has changed data of the signed-in user, in a topic whose keys are accounts.
    public func isConcerned(by change: DataChange) -> Bool {
        !change.isOwn && user.map { change.concerns($0.id) } ?? false
    }

    /// The links of the stack's entries; setting them navigates.
    public var navigationState: NavigationPath {
        get { manager.navigationState }
        nonmutating set { manager.navigationState = newValue }
    }

    /// Signs `user` in.
    public func signIn(_ user: SessionUser, credential: SessionCredential) {
        manager.set(user: user, credential: credential)
    }

    /// Updates the signed-in user's data; does nothing for a guest or another user.
    public func update(_ user: SessionUser) {
        guard manager.user?.id == user.id else { return }
        manager.set(user: user, credential: manager.credential)
    }

    /// Signs the user out.
    public func signOut() { manager.set(user: nil, credential: nil) }

    /// Notifies `observer`, held weakly, of every change of the user, in order.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, SessionChange) -> Void
    ) {
        manager.observers.add(observer, notify)
    }
}

/// A change of the session, sent synchronously on the main actor.
public enum SessionChange: Sendable, Hashable {
    /// A different user is signed in.
    case signedIn(SessionUser)
    /// The signed-in user's data changed.
    case updated(SessionUser)
    /// The user signed out.
    case signedOut
}
