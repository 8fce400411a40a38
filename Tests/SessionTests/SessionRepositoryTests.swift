import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Session repository")
struct SessionRepositoryTests {
    private let clock = FixedClock()
    private let analytics = RecordingAnalytics()
    private let log = RecordingLog()
    private let bob = SessionUser(id: "b", email: "bob@example.com")
    private let credentials = Credentials(email: "ada@example.com", password: "difference engine")

    private func repository(_ service: some SessionService, _ session: TestSession) -> SessionRepository {
        SessionRepository(
            service: service, session: session.writer, clock: clock, analytics: analytics, logger: log.logger)
    }

    @Test("Signing in sets the granted session")
    func signIn() async throws {
        let (service, session) = (ScriptedSessionService(answer: .success(.ada)), TestSession())

        try await repository(service, session).signIn(credentials)

        #expect(session.writer.user == SessionGrant.ada.user)
        #expect(session.writer.credential == SessionGrant.ada.credential)
        #expect(await service.calls == ["signIn ada@example.com"])
        #expect(analytics.events == [AnalyticsEvent("signedIn")])
    }

    @Test("Signing up signs in")
    func signUp() async throws {
        let (service, session) = (ScriptedSessionService(answer: .success(.ada)), TestSession())

        try await repository(service, session).signUp(credentials)

        #expect(session.writer.user == SessionGrant.ada.user)
        #expect(await service.calls == ["signUp ada@example.com"])
        #expect(analytics.events == [AnalyticsEvent("signedUp")])
    }

    @Test("Signing in as another user ends the former session after the new one is granted")
    func replacement() async throws {
        let (service, session) = (ScriptedSessionService(answer: .success(.ada)), TestSession(bob))

        try await repository(service, session).signIn(credentials)

        #expect(await service.calls == ["signIn ada@example.com", "signOut test-token"])
        #expect(session.writer.user == SessionGrant.ada.user)
    }

    @Test("A failure to end the former session does not prevent the sign-in")
    func replacementWithoutSignOut() async throws {
        let session = TestSession(bob)
        let service = ScriptedSessionService(answer: .success(.ada), signOutError: ServiceError.unavailable)

        try await repository(service, session).signIn(credentials)

        #expect(session.writer.user == SessionGrant.ada.user)
        #expect(
            log.messages == [
                """
                warning: The former session could not be ended and lasts until it expires: \
                The session service does not answer.
                """
            ])
    }

    @Test("A failed sign-in keeps the current session", arguments: [true, false])
    func failedSignIn(_ isSignedIn: Bool) async {
        let session = TestSession(isSignedIn ? bob : nil)
        let before = session.writer.credential
        let repository = repository(
            ScriptedSessionService(answer: .failure(ServiceError.invalidCredentials)), session)

        await #expect(throws: ServiceError.invalidCredentials) { try await repository.signIn(credentials) }
        await #expect(throws: ServiceError.invalidCredentials) { try await repository.signUp(credentials) }

        #expect(session.writer.user == (isSignedIn ? bob : nil))
        #expect(session.writer.credential == before)
        #expect(analytics.events.isEmpty)
    }

    @Test("Signing out ends the session on the service and here")
    func signOut() async throws {
        let (service, session) = (ScriptedSessionService(), TestSession(bob))

        try await repository(service, session).signOut()

        #expect(session.writer.user == nil)
        #expect(session.writer.credential == nil)
        #expect(await service.calls == ["signOut test-token"])
        #expect(analytics.events == [AnalyticsEvent("signedOut")])
    }

    @Test("A failed sign-out keeps the session")
    func failedSignOut() async {
        let session = TestSession(bob)
        let service = ScriptedSessionService(signOutError: ServiceError.unavailable)

        await #expect(throws: ServiceError.unavailable) { try await repository(service, session).signOut() }

        #expect(session.writer.user == bob)
        #expect(analytics.events.isEmpty)
    }

    @Test("A guest can't sign out, and the service is not called")
    func guestSignOut() async {
        let service = ScriptedSessionService()

        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository(service, TestSession()).signOut()
        }
        #expect(await service.calls.isEmpty)
    }

    @Test("An expired session ends without a call to the service")
    func expiry() async {
        let (service, session) = (ScriptedSessionService(), TestSession(bob))
        let repository = repository(service, session)

        clock.advance(seconds: 86_399)
        #expect(!repository.endIfExpired())
        #expect(session.writer.user == bob)
        clock.advance(seconds: 1)
        #expect(repository.endIfExpired())

        #expect(session.writer.user == nil)
        #expect(!repository.endIfExpired())
        #expect(await service.calls.isEmpty)
    }

    @Test("A valid stored session is kept")
    func goodStoredSession() async {
        let session = TestSession(bob)

        await repository(ScriptedSessionService(), session).verifyStoredSession()

        #expect(session.writer.user == bob)
        #expect(log.messages.isEmpty)
    }

    @Test("An expired stored session ends without a call to the service")
    func expiredStoredSession() async {
        let session = TestSession(bob, expiresAt: clock.now())
        let service = ScriptedSessionService()

        await repository(service, session).verifyStoredSession()

        #expect(session.writer.user == nil)
        #expect(await service.calls.isEmpty)
        #expect(log.messages.isEmpty)
    }

    @Test("An invalid stored session ends")
    func badStoredSession() async {
        let session = TestSession(bob)
        let service = ScriptedSessionService(validity: .success(false))

        await repository(service, session).verifyStoredSession()

        #expect(session.writer.user == nil)
        #expect(await service.calls == ["isValid test-token"])
        #expect(
            log.messages == ["info: The session of the last run is no longer active; nobody is signed in."])
    }

    @Test("A stored session that can't be checked is kept with a warning")
    func uncheckedStoredSession() async {
        let session = TestSession(bob)
        let service = ScriptedSessionService(validity: .failure(ServiceError.unavailable))

        await repository(service, session).verifyStoredSession()

        #expect(session.writer.user == bob)
        #expect(
            log.messages == [
                """
                warning: The session of the last run could not be checked and is kept: \
                The session service does not answer.
                """
            ])
    }

    @Test("Without a stored session, the service is not called")
    func noStoredSession() async {
        let service = ScriptedSessionService()

        await repository(service, TestSession()).verifyStoredSession()

        #expect(await service.calls.isEmpty)
    }
}
