import AtriumKit

/// Starts and ends the session of this process.
///
/// The session changes only after the service has agreed: what fails leaves whoever is signed in as they are.
///
/// It also ends by itself. What the service ends, ends here as soon as the service says so. A session whose
/// time is over ends when it is next used: by a guard, a screen of this module, or the next start of the host.
/// No timer waits for that moment, which is a month ahead and would be wrong after the machine has slept.
@MainActor
final class SessionRepository {
    private let service: any SessionService
    private let session: SessionWriter
    private let clock: any WallClock
    private let analytics: any Analytics
    private let logger: Logger
    /// Why the last session ended by itself, until somebody is told.
    private(set) var untoldEnding: SessionEnding?

    init(
        service: any SessionService, session: SessionWriter, clock: any WallClock, analytics: any Analytics,
        logger: Logger
    ) {
        self.service = service
        self.session = session
        self.clock = clock
        self.analytics = analytics
        self.logger = logger
    }

    /// Creates an account and signs it in, in place of whoever is signed in.
    func signUp(_ credentials: Credentials) async throws {
        await begin(try await service.signUp(credentials))
        analytics.track(AnalyticsEvent("signedUp"))
    }

    /// Signs in, in place of whoever is signed in.
    func signIn(_ credentials: Credentials) async throws {
        await begin(try await service.signIn(credentials))
        analytics.track(AnalyticsEvent("signedIn"))
    }

    /// Ends the session, at the service first.
    ///
    /// Places stay on the stack: what asks for somebody to be signed in sends whoever comes back to it to the
    /// sign-in. A place that objects to being left stays, with all others, and the person is told.
    ///
    /// - Parameter leavesPlaces: Whether all places are left as well, once the session has ended.
    /// - Throws: ``SessionError/notAuthenticated`` where nobody is signed in.
    func signOut(leavingPlaces leavesPlaces: Bool = false) async throws {
        guard let credential = session.credential else { throw SessionError.notAuthenticated }
        try await service.signOut(credential)
        if session.credential?.token == credential.token {
            session.signOut()
            if leavesPlaces { session.navigationState = NavigationPath() }
        }
        analytics.track(AnalyticsEvent("signedOut"))
    }

    /// Ends every session of the signed-in person, on other machines too, at the service first.
    ///
    /// - Throws: ``SessionError/notAuthenticated`` where nobody is signed in, or no longer.
    func signOutEverywhere() async throws {
        guard let credential = session.credential else { throw SessionError.notAuthenticated }
        try await service.signOutEverywhere(credential)
        if session.credential?.token == credential.token { session.signOut() }
        analytics.track(AnalyticsEvent("signedOutEverywhere"))
    }

    /// The signed-in person's sessions that are good, the newest first.
    ///
    /// - Throws: ``SessionError/notAuthenticated`` where nobody is signed in, or no longer.
    func sessions() async throws -> [SessionRecord] {
        guard let credential = session.credential else { throw SessionError.notAuthenticated }
        return try await service.sessions(credential)
    }

    /// Forgets the session of this process; the service is not asked, so the session itself lasts.
    ///
    /// - Throws: What keeps the service from forgetting its own part; the session is then kept too.
    func reset() async throws {
        try await service.forget()
        session.signOut()
        untoldEnding = nil
        analytics.track(AnalyticsEvent("sessionReset"))
    }

    // MARK: - Ending by itself

    /// Whether somebody is signed in whose time is over; asks the clock only, and changes nothing.
    var hasExpired: Bool { session.credential?.isExpired(at: clock.now()) ?? false }

    /// How long the session lasts, in whole seconds; nil for a guest.
    var secondsLeft: Int? {
        session.credential.map { Int(($0.expiresAt.microseconds - clock.now().microseconds) / 1_000_000) }
    }

    /// Makes the session a guest's where its time is over.
    ///
    /// - Returns: Whether it was.
    @discardableResult
    func endIfExpired() -> Bool {
        guard hasExpired else { return false }
        end(.expired)
        return true
    }

    /// Why the session ended by itself, for who tells the person; they are told once.
    func takeEnding() -> SessionEnding? {
        defer { untoldEnding = nil }
        return untoldEnding
    }

    /// What the service says of sessions from now on; nil where it never says anything.
    func serviceEvents() async -> AsyncStream<SessionEvent>? { await service.events() }

    /// Does what the service says of sessions, until the calling task is cancelled or there is no more to say.
    func follow(_ events: AsyncStream<SessionEvent>) async {
        for await event in events {
            switch event {
            case .ended(let token): endRefused(token)
            case .renewed(let credential): renew(credential)
            }
        }
    }

    private func endRefused(_ token: String) {
        // An ending is told to everybody who listens, and may be told late: only this session ends, and once.
        guard session.credential?.token == token else { return }
        end(.refused)
        logger.warning("The server has ended the session; nobody is signed in.")
    }

    private func renew(_ credential: SessionCredential) {
        guard let user = session.user, let present = session.credential, present.token == credential.token,
            present.expiresAt < credential.expiresAt
        else { return }
        session.signIn(user, credential: credential)
    }

    private func end(_ ending: SessionEnding) {
        // First the reason: what observes the session shows both together.
        untoldEnding = ending
        session.signOut()
        analytics.track(AnalyticsEvent("sessionEnded", ["reason": "\(ending)"]))
    }

    // MARK: - The session of an earlier process

    /// Asks the service about the session that an earlier process left, and ends it where it is not good.
    ///
    /// One whose time is over ends without asking. A service that can't answer changes nothing: people stay
    /// signed in when a disk is not there for a moment. Where nobody is signed in, what the service may have
    /// kept of a session is forgotten: a process can end between the two.
    func verifyStoredSession() async {
        if let credential = session.credential, !endIfExpired(), await isGood(credential) { return }
        guard session.credential == nil else { return }
        do {
            try await service.forget()
        } catch {
            logger.warning("What is kept of a former session could not be forgotten: \(Self.reason(error))")
        }
    }

    /// Whether the service believes a credential, or can't say; where it does not, the session ends.
    private func isGood(_ credential: SessionCredential) async -> Bool {
        do {
            guard try await !service.isValid(credential), session.credential?.token == credential.token else {
                return true
            }
            session.signOut()
            logger.info("The session of an earlier run is no longer good; nobody is signed in.")
            return false
        } catch {
            logger.warning(
                "The session of an earlier run could not be checked and is kept: \(Self.reason(error))")
            return true
        }
    }

    /// Makes the grant the session, and ends the one that it replaces.
    private func begin(_ grant: SessionGrant) async {
        let former = session.credential
        untoldEnding = nil
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
