import AtriumKit
import AtriumNetworking
import AtriumTesting
import LiveTestSupport
import TestSupport
import Testing

@testable import Session

/// The repository with the live service, the host's API client, the transport and the reference server.
@MainActor
@Suite("Session over HTTP", .timeLimit(.minutes(5)))
struct SessionOverHTTPTests {
    private let session = TestSession()
    private let log = RecordingLog()
    private let analytics = RecordingAnalytics()
    private let server: ReferenceServer
    private let api: APIManager
    private let repository: SessionRepository
    private let ada = Credentials(email: "ada@example.com", password: "correct horse")

    init() throws {
        server = try ReferenceServer()
        api = try LiveAPI.device(of: server)
        repository = SessionRepository(
            service: LiveSessionService(api: api, clock: SystemTime()), session: session.writer,
            clock: SystemTime(), analytics: analytics, logger: log.logger)
    }

    @Test("A session that another device ended ends at the next request, with a reason")
    func endedElsewhere() async throws {
        let events = try #require(await repository.serviceEvents())
        let following = Task { await repository.follow(events) }
        defer { following.cancel() }
        try await repository.signIn(ada)
        let changes = SessionChanges(of: session.state)
        let phone = LiveSessionService(api: try LiveAPI.device(of: server), clock: SystemTime())
        try await phone.signOutEverywhere(try await phone.signIn(ada).credential)
        #expect(session.writer.user != nil)

        await #expect(throws: ServiceError.notAuthenticated) { try await repository.sessions() }
        #expect(await changes.next() == .signedOut)

        #expect(session.writer.user == nil)
        #expect(repository.unreportedEnding == .refused)
        #expect(await api.tokens == nil)
        #expect(analytics.events.map(\.name) == ["signedIn", "sessionEnded"])
    }

    @Test("An expired access token is refreshed, and the session stays the same")
    func renewed() async throws {
        try await repository.signIn(ada)
        let before = try #require(session.writer.credential)
        try server.expireTokens()

        #expect(try await repository.sessions().count == 1)

        #expect(session.writer.credential?.token == before.token)
        #expect(try server.statistics().tokens["refresh"] == 1)
    }

    @Test("If the server is unreachable at the start or at a sign-out, the session is kept")
    func offline() async throws {
        try await repository.signIn(ada)
        server.stop()

        await repository.verifyStoredSession()
        let error = await #expect(throws: ServiceError.self) { try await repository.signOut() }

        #expect(session.writer.user?.email == "ada@example.com")
        #expect(error?.code == "serviceUnavailable")
        #expect(error?.message.hasPrefix("You could not be signed out: ") == true)
        #expect(error?.cause is APIError)
        #expect(log.messages.count == 1)
        #expect(await api.tokens != nil)
    }

    @Test(
        "A failed sign-in keeps the former session and leaves no session on the server",
        arguments: [
            ReferenceServer.Fault.brokenJSON, .errorCode, .serverError, .wrongType, .half,
        ])
    func faults(_ fault: ReferenceServer.Fault) async throws {
        try await repository.signIn(Credentials(email: "grace@example.com", password: "correct horse"))
        let before = session.writer.credential
        try server.add(fault, on: "/v1/users/me", method: "GET", count: nil)

        let error = await #expect(throws: ServiceError.self) { try await repository.signIn(ada) }

        #expect(error?.cause is APIError)
        #expect(session.writer.credential == before)
        try server.clearFaults()
        #expect(try await repository.sessions().count == 1)
        let phone = LiveSessionService(api: try LiveAPI.device(of: server), clock: SystemTime())
        #expect(try await phone.sessions(try await phone.signIn(ada).credential).count == 1)
    }

    @Test("Signing in again ends the former session on the server")
    func replaced() async throws {
        try await repository.signIn(ada)
        try await repository.signIn(ada)

        #expect(try await repository.sessions().count == 1)
        #expect(log.messages.isEmpty)
    }
}
