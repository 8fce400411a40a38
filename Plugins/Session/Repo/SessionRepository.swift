import AtriumKit

/// Starts and ends the session of this process.
///
/// The session changes only after the service has agreed; a failure changes nothing.
///
/// A session also ends without a sign-out: when the service reports it, or, once expired, when it is next
/// used by a guard, a screen of this module or the next start of the host. There is no timer: expiry is a
/// month ahead, and a timer would be wrong after the machine has slept.
@MainActor
final class SessionRepository {
    private let service: any SessionService
    private let session: SessionWriter
    private let clock: any WallClock
    private let analytics: any Analytics
    private let logger: Logger
    /// The reason the last session ended without a sign-out, until it is shown.
    private(set) var unreportedEnding: SessionEnding?
    /// True if this process is ending the session at the service, whose reports of it are then ignored.
    private var isSigningOut = false
    /// The check in progress whether another host has ended the session.
    private var check: Promise<Void>?

    init(
        service: any SessionService, session: SessionWriter, clock: any WallClock, analytics: any Analytics,
        logger: Logger, changes: ObserverList<DataChange> = ObserverList()
    ) {
        self.service = service
        self.session = session
        self.clock = clock
        self.analytics = analytics
        self.logger = logger
        changes.reload(self, where: { $0.concernsPerson($1) }) { repository in
            let check = Promise<Void>()
            repository.check = check
            defer {
                repository.check = nil
                check.settle(.success(()))
            }
            try await repository.endIfEndedElsewhere()
        }
    }

    func signUp(_ credentials: Credentials) async throws {
        await begin(try await service.signUp(credentials))
        analytics.track(AnalyticsEvent("signedUp"))
    }

    func signIn(_ credentials: Credentials) async throws {
        await begin(try await service.signIn(credentials))
        analytics.track(AnalyticsEvent("signedIn"))
    }

    /// Ends the session, at the service first.
    ///
    /// The stack stays; guarded screens redirect to the sign-in when they are shown again.
    ///
    /// - Parameter leavesScreens: Whether to clear the stack too, unless a screen objects to being left.
    /// - Throws: ``ServiceError/notAuthenticated``.
    func signOut(leavingScreens leavesScreens: Bool = false) async throws {
        guard let credential = session.credential else { throw ServiceError.notAuthenticated }
        isSigningOut = true
        defer { isSigningOut = false }
        try await service.signOut(credential)
        if session.credential?.token == credential.token {
            session.signOut()
            if leavesScreens { session.navigationState = NavigationPath() }
        }
        analytics.track(AnalyticsEvent("signedOut"))
    }

    /// Ends every session of the signed-in user, on other machines too, at the service first.
    func signOutEverywhere() async throws {
        guard let credential = session.credential else { throw ServiceError.notAuthenticated }
        isSigningOut = true
        defer { isSigningOut = false }
        try await service.signOutEverywhere(credential)
        if session.credential?.token == credential.token { session.signOut() }
        analytics.track(AnalyticsEvent("signedOutEverywhere"))
    }

    func sessions() async throws -> [SessionRecord] {
        guard let credential = session.credential else { throw ServiceError.notAuthenticated }
        return try await service.sessions(credential)
    }

    /// Forgets the session of this process without ending it at the service.
    ///
    /// - Throws: The service's failure to forget its tokens; the session stays.
    func reset() async throws {
        try await service.forget()
        session.signOut()
        unreportedEnding = nil
        analytics.track(AnalyticsEvent("sessionReset"))
    }

    // MARK: - Ending without a sign-out

    var hasExpired: Bool { session.credential?.isExpired(at: clock.now()) ?? false }

    /// The remaining time of the session, in whole seconds; nil for a guest, or if unknown.
    var secondsLeft: Int? {
        guard let credential = session.credential, credential.hasExpiry else { return nil }
        return credential.expiresAt.seconds(since: clock.now())
    }

    /// Ends the session if it has expired, and returns whether it did.
    @discardableResult
    func endIfExpired() -> Bool {
        guard hasExpired else { return false }
        end(.expired)
        return true
    }

    func takeEnding() -> SessionEnding? {
        defer { unreportedEnding = nil }
        return unreportedEnding
    }

    func serviceEvents() async -> AsyncStream<SessionEvent>? { await service.events() }

    /// Follows events of the service, until they end or the calling task is cancelled.
    func follow(_ events: AsyncStream<SessionEvent>) async {
        for await event in events {
            switch event {
            case .ended(let token): endRefused(token)
            case .renewed(let credential): renew(credential)
            }
        }
    }

    private func endRefused(_ token: String) {
        // The event may be late, or about another session.
        guard session.credential?.token == token, !isSigningOut else { return }
        end(.refused)
        logger.warning("The server has ended the session; nobody is signed in.")
    }

    private func concernsPerson(_ change: DataChange) -> Bool {
        !change.isOwn && session.user.map { change.concerns($0.id) } ?? false
    }

    /// Ends the session if it has expired, and waits for a check in progress.
    func settle() async {
        endIfExpired()
        // A change that arrives during a check is followed by one more.
        for _ in 0..<2 { try? await check?.value() }
    }

    /// Ends the session if another host has ended it.
    private func endIfEndedElsewhere() async throws {
        guard let credential = session.credential, try await !service.isValid(credential),
            session.credential?.token == credential.token, !isSigningOut
        else { return }
        end(.elsewhere)
        logger.warning("Another host has ended the session; nobody is signed in.")
    }

    private func renew(_ credential: SessionCredential) {
        guard let user = session.user, let present = session.credential, present.token == credential.token,
            present.expiresAt < credential.expiresAt
        else { return }
        session.signIn(user, credential: credential)
    }

    private func end(_ ending: SessionEnding) {
        // The reason first: observers of the session show both together.
        unreportedEnding = ending
        session.signOut()
        analytics.track(AnalyticsEvent("sessionEnded", ["reason": "\(ending)"]))
    }

    // MARK: - The session of the last run

    /// Asks the service about the session of the last run, and ends it if it is not active.
    ///
    /// An expired session ends without asking. If the service can't answer, the session stays. Without a
    /// session, the service forgets tokens of a process that ended between the two steps of signing out.
    func verifyStoredSession() async {
        if let credential = session.credential, !endIfExpired(), await isActive(credential) { return }
        guard session.credential == nil else { return }
        do {
            try await service.forget()
        } catch {
            logger.warning("The tokens of a former session could not be forgotten: \(Self.reason(error))")
        }
    }

    /// True if the session is active, or the service can't say; otherwise ends the session.
    private func isActive(_ credential: SessionCredential) async -> Bool {
        do {
            guard try await !service.isValid(credential), session.credential?.token == credential.token else {
                return true
            }
            session.signOut()
            logger.info("The session of the last run is no longer active; nobody is signed in.")
            return false
        } catch {
            logger.warning(
                "The session of the last run could not be checked and is kept: \(Self.reason(error))")
            return true
        }
    }

    /// Begins a session, and ends the one that it replaces.
    private func begin(_ grant: SessionGrant) async {
        let former = session.credential
        unreportedEnding = nil
        session.signIn(grant.user, credential: grant.credential)
        guard let former else { return }
        do {
            try await service.signOut(former)
        } catch {
            logger.warning(
                "The former session could not be ended and lasts until it expires: \(Self.reason(error))")
        }
    }

    private static func reason(_ error: any Error) -> String {
        (error as? any ExplainedError)?.message ?? "unexpected error."
    }
}
