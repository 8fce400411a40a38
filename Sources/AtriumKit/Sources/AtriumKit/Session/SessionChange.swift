/// What happened to the session, told at once and on the main actor.
public enum SessionChange: Sendable, Hashable {
    /// Somebody else than before is signed in.
    case signedIn(SessionUser)
    /// What is known of the signed-in person changed.
    case updated(SessionUser)
    /// Nobody is signed in any more.
    case signedOut
}

extension SessionState {
    /// Tells `observer` of every change of who is signed in, for as long as it lives.
    ///
    /// For what has to happen with the change, such as dropping what was cached for the former person. Screens
    /// need none: they read ``user``, which is observed.
    ///
    /// - Parameters:
    ///   - observer: Held weakly; `notify` gets it and must not capture it.
    ///   - notify: Called in the turn of the change.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, SessionChange) -> Void
    ) {
        observers.add(observer, notify)
    }

    /// The types of those who are told of changes; who is gone is not among them.
    public var observerNames: [String] { observers.names }
}

extension SessionWriter {
    /// Tells `observer` of every change of who is signed in; see ``SessionState/observe(_:_:)``.
    public func observe<Observer: AnyObject>(
        _ observer: Observer, _ notify: @escaping @MainActor (Observer, SessionChange) -> Void
    ) {
        observers.add(observer, notify)
    }
}
