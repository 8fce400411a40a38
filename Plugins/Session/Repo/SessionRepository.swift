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
    private let changes: ObserverList<DataChange>
    /// The reason the last session ended without a sign-out, until it is shown.
    private(set) var unreportedEnding: SessionEnding?
    /// True if this process is ending the session at the service, whose reports of it are then ignored.
    private var isSigningOut = false

    init(
        service: any SessionService, session: SessionWriter, clock: any WallClock, analytics: any Analytics,
        logger: Logger, changes: ObserverList<DataChange> = ObserverList()
    ) {
        (self.service, self.session, self.clock) = (service, session, clock)
        (self.analytics, self.logger, self.changes) = (analytics, logger, changes)
        changes.reload(self, where: { $0.session.isConcerned(by: $1) }) { try await $0.endIfEndedElsewhere() }
    }

    /// Creates an account and begins a session for it; the rules for credentials come before any request.
    func signUp(_ credentials: Credentials) async throws {
        try ValidationError.check(credentials.validate())
        await begin(try await service.signUp(credentials))
        analytics.track(AnalyticsEvent("signedUp"))
    }

    func signIn(_ credentials: Credentials) async throws {
        await begin(try await service.signIn(credentials))
        analytics.track(AnalyticsEvent("signedIn"))
    }

    /// Begins a session, and ends the one that it replaces.
    private func begin(_ grant: SessionGrant) async {
        let former = session.credential
        unreportedEnding = nil
        session.signIn(grant.user, credential: grant.credential)
        guard let former else { return }
        await attempt("The former session could not be ended and lasts until it expires") {
            try await service.signOut(former)
        }
    }

    /// Ends the session, or all of the user, on other machines too; at the service first.
    ///
    /// The stack stays, and guarded screens redirect to the sign-in when they are shown again; with
    /// `leavesScreens` it is cleared, unless a screen objects to being left.
    func signOut(
        everywhere isEverywhere: Bool = false, leavingScreens leavesScreens: Bool = false
    ) async throws {
        guard let credential = session.credential else { throw ServiceError.notAuthenticated }
        isSigningOut = true
        defer { isSigningOut = false }
        try await isEverywhere ? service.signOutEverywhere(credential) : service.signOut(credential)
        if isPresent(credential) {
            session.signOut()
            if leavesScreens { session.navigationState = NavigationPath() }
        }
        analytics.track(AnalyticsEvent(isEverywhere ? "signedOutEverywhere" : "signedOut"))
    }

    func sessions() async throws -> [SessionRecord] {
        guard let credential = session.credential else { throw ServiceError.notAuthenticated }
        return try await service.sessions(credential)
    }

    /// Forgets the session of this process without ending it at the service, unless its tokens can't be.
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
        session.credential.flatMap { $0.hasExpiry ? $0.expiresAt.seconds(since: clock.now()) : nil }
    }

    /// Ends the session if it has expired, and returns whether it did.
    @discardableResult
    func endIfExpired() -> Bool {
        let hasExpired = hasExpired
        if hasExpired { end(.expired) }
        return hasExpired
    }

    func serviceEvents() async -> SessionEvents? { await service.events() }

    /// Follows events of the service, until they end or the calling task is cancelled.
    func follow(_ events: SessionEvents) async {
        for await event in events {
            guard let present = session.credential else { continue }
            switch event {
            // The event may be late, or about another session.
            case .ended(let token) where token == present.token && !isSigningOut:
                end(.refused, by: "The server")
            case .renewed(let credential)
            where credential.token == present.token && credential.expiresAt > present.expiresAt:
                if let user = session.user { session.signIn(user, credential: credential) }
            case .ended, .renewed: break
            }
        }
    }

    /// The reason the last session ended, once: also ends one that has expired, and waits for a check whether
    /// another host has ended it.
    func takeEnding() async -> SessionEnding? {
        endIfExpired()
        await changes.finishReloading(self)
        defer { unreportedEnding = nil }
        return unreportedEnding
    }

    private func endIfEndedElsewhere() async throws {
        guard let credential = session.credential, try await !service.isValid(credential) else { return }
        if isPresent(credential), !isSigningOut { end(.elsewhere, by: "Another host") }
    }

    /// True if a session was not replaced meanwhile; it may have been renewed.
    private func isPresent(_ credential: SessionCredential) -> Bool {
        session.credential?.token == credential.token
    }

    private func end(_ ending: SessionEnding, by other: String? = nil) {
        // The reason first: observers of the session show both together.
        unreportedEnding = ending
        session.signOut()
        analytics.track(AnalyticsEvent("sessionEnded", ["reason": "\(ending)"]))
        if let other { logger.warning("\(other) has ended the session; nobody is signed in.") }
    }

    // MARK: - The session of the last run

    /// Asks the service about the session of the last run, and ends it if it is not active.
    ///
    /// An expired session ends without asking. If the service can't answer, the session stays. Without a
    /// session, the service forgets tokens that a process left which ended while signing out.
    func verifyStoredSession() async {
        guard let credential = session.credential, !endIfExpired() else { return await forgetTokens() }
        await attempt("The session of the last run could not be checked and is kept") {
            guard try await !service.isValid(credential), isPresent(credential) else { return }
            if service.hasServer {
                // The service reports this too, maybe later; the reason is the same.
                end(.refused, by: "The server")
            } else {
                session.signOut()
                logger.info("The session of the last run is no longer active; nobody is signed in.")
            }
            await forgetTokens()
        }
    }

    private func forgetTokens() async {
        await attempt("The tokens of a former session could not be forgotten") { try await service.forget() }
    }

    /// Runs work that may fail, and logs its failure.
    private func attempt(_ failure: String, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            logger.warning("\(failure): \((error as? any ExplainedError)?.message ?? "unexpected error.")")
        }
    }
}
