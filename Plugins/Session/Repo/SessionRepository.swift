import AtriumKit

/// Starts and ends the session of this process.
///
/// The session changes only after the service has agreed: what fails leaves whoever is signed in as they are.
@MainActor
final class SessionRepository {
    private let service: any SessionService
    private let session: SessionWriter
    private let clock: any WallClock
    private let analytics: any Analytics
    private let logger: Logger

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
        if session.credential == credential {
            session.signOut()
            if leavesPlaces { session.navigationState = NavigationPath() }
        }
        analytics.track(AnalyticsEvent("signedOut"))
    }

    /// Whether somebody is signed in whose time is over; asks the clock only, and changes nothing.
    var hasExpired: Bool { session.credential?.isExpired(at: clock.now()) ?? false }

    /// Makes the session a guest's where its time is over.
    ///
    /// - Returns: Whether it was.
    func endIfExpired() -> Bool {
        guard hasExpired else { return false }
        session.signOut()
        return true
    }

    /// Asks the service about the session that an earlier process left, and ends it where it is not good.
    ///
    /// One whose time is over ends without asking. A service that can't answer changes nothing: people stay
    /// signed in when a disk is not there for a moment.
    func verifyStoredSession() async {
        guard !endIfExpired(), let credential = session.credential else { return }
        do {
            guard try await !service.isValid(credential), session.credential == credential else { return }
            session.signOut()
            logger.info("The session of an earlier run is no longer good; nobody is signed in.")
        } catch {
            logger.warning(
                "The session of an earlier run could not be checked and is kept: \(Self.reason(error))")
        }
    }

    /// Makes the grant the session, and ends the one that it replaces.
    private func begin(_ grant: SessionGrant) async {
        let former = session.credential
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
