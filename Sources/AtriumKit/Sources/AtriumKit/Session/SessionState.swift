/// The session as view models and aggregate models see it: to read, not to write.
@MainActor
public struct SessionState {
    private let manager: SessionManager

    @_spi(Host) public init(_ manager: SessionManager) {
        self.manager = manager
    }

    /// Who is signed in; nil for a guest.
    ///
    /// Observed like a property of the view model.
    public var user: SessionUser? { manager.user }

    /// Whether somebody is signed in.
    public var isSignedIn: Bool { manager.user != nil }

    /// The places on the stack of screens; observed like a property of the view model.
    public var navigationState: NavigationPath { manager.navigationState }

    var observers: ObserverList<SessionChange> { manager.observers }

    /// When the session ends; nil for a guest.
    public var expiresAt: Timestamp? { manager.credential?.expiresAt }
}

/// The session as repositories see it: to read, and to write after success.
///
/// Only a repository's context hands one out.
@MainActor
public struct SessionWriter {
    private let manager: SessionManager

    @_spi(Host) public init(_ manager: SessionManager) {
        self.manager = manager
    }

    /// Who is signed in; nil for a guest.
    public var user: SessionUser? { manager.user }

    /// What proves it to services; nil for a guest.
    public var credential: SessionCredential? { manager.credential }

    /// The places on the stack of screens; setting it moves the stack.
    public var navigationState: NavigationPath {
        get { manager.navigationState }
        nonmutating set { manager.navigationState = newValue }
    }

    var observers: ObserverList<SessionChange> { manager.observers }

    /// Makes `user` the signed-in person.
    public func signIn(_ user: SessionUser, credential: SessionCredential) {
        manager.set(user: user, credential: credential)
    }

    /// Changes what is known of the signed-in person; does nothing for a guest or another person.
    public func update(_ user: SessionUser) {
        guard manager.user?.id == user.id else { return }
        manager.set(user: user, credential: manager.credential)
    }

    /// Makes the session a guest's.
    public func signOut() {
        manager.set(user: nil, credential: nil)
    }
}
