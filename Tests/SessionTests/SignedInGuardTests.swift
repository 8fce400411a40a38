@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Guard 'signed-in'")
struct SignedInGuardTests {
    private let clock = FixedClock()
    private let manager = SessionManager.isolated()
    private let container: Container

    init() throws {
        let registry = ModuleRegistry(
            scope: ModuleScope(
                name: "Session",
                infrastructure: .init(
                    database: UnusedDatabase(), clock: clock, logger: RecordingLog().logger,
                    analytics: RecordingAnalytics(), configuration: Configuration([:]))))
        try SessionModule().register(in: registry)
        container = Container(environment: .local, session: manager)
        try container.add(registry)
    }

    private func signIn() {
        SessionWriter(manager).signIn(SessionGrant.ada.user, credential: SessionGrant.ada.credential)
    }

    private func verdict() async throws -> GuardVerdict {
        let contributions = container.contributionResults(to: .guards)
        #expect(contributions.count == 1)
        let contribution = try #require(contributions.first).element.get()
        #expect(contribution.value.name == .signedIn)
        #expect(contribution.value.reach == .screensThatAsk)
        return try await contribution.value.verdict(
            on: NavigationAttempt(
                destination: SessionDestination(), link: try Link("profile"), module: "UserProfile"),
            within: .seconds(10)
        ) {}
    }

    @Test("A guest is redirected to the sign-in")
    func guest() async throws {
        #expect(
            try await verdict() == .redirect(to: "session/sign-in", because: "You are not signed in."))
    }

    @Test("A signed-in user is allowed without reading the database")
    func signedIn() async throws {
        signIn()

        #expect(try await verdict() == .allow)
    }

    @Test("A user with an expired session is redirected to the sign-in, and the session is not ended")
    func expired() async throws {
        signIn()
        clock.advance(seconds: SessionGrant.lifetime)

        #expect(
            try await verdict() == .redirect(to: "session/sign-in", because: "Your session has ended."))
        #expect(manager.user != nil)
    }

    @Test("No screen of this module requires the guard, because signing in must always be possible")
    func ownScreens() {
        #expect(SessionDestination.guards.isEmpty)
        #expect(SignInDestination.guards.isEmpty)
        #expect(SignUpDestination.guards.isEmpty)
    }
}
