@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Places at sign-out")
struct SignOutPlacesTests {
    private let manager = SessionManager.isolated()
    private let stack = StubStack()

    init() {
        manager.mirror(stack)
        stack.path = NavigationPath(["entities", "profile"])
    }

    private func repository(_ service: ScriptedSessionService) -> SessionRepository {
        SessionRepository(
            service: service, session: SessionWriter(manager), clock: FixedClock(),
            analytics: RecordingAnalytics(), logger: RecordingLog().logger)
    }

    private func signIn() {
        SessionWriter(manager).signIn(SessionGrant.ada.user, credential: SessionGrant.ada.credential)
    }

    @Test("Places stay on the stack, unless they are to be left")
    func signOut() async throws {
        signIn()
        try await repository(ScriptedSessionService()).signOut()
        #expect(stack.requests.isEmpty)

        signIn()
        try await repository(ScriptedSessionService()).signOut(leavingScreens: true)
        #expect(stack.requests == [NavigationPath()])
        #expect(manager.user == nil)
    }

    @Test("A sign-out that fails moves nothing")
    func failure() async throws {
        signIn()
        let service = ScriptedSessionService(signOutError: SessionError.unavailable)

        await #expect(throws: SessionError.unavailable) {
            try await repository(service).signOut(leavingScreens: true)
        }

        #expect(stack.requests.isEmpty)
        #expect(manager.user != nil)
    }

    @Test("A guest who signs out moves nothing")
    func guest() async throws {
        await #expect(throws: SessionError.notAuthenticated) {
            try await repository(ScriptedSessionService()).signOut(leavingScreens: true)
        }

        #expect(stack.requests.isEmpty)
    }

    @Test("The action 'sign-out' leaves all places with '--home' only", arguments: [true, false])
    func action(_ leavesPlaces: Bool) async throws {
        signIn()
        let view = SessionView(
            viewModel: SessionViewModel(
                repository: repository(ScriptedSessionService()), session: SessionState(manager)))
        let action = try #require(view.actions.first { $0.name == "sign-out" })

        let result = try await action.perform(ArgumentValues(leavesPlaces ? ["home": "yes"] : [:]))

        #expect(result.message == "Signed out.")
        #expect(stack.requests == (leavesPlaces ? [NavigationPath()] : []))
    }
}
