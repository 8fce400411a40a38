@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Screens at sign-out")
struct SignOutStackTests {
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

    @Test("Signing out keeps the stack unless all screens are to be left")
    func signOut() async throws {
        signIn()
        try await repository(ScriptedSessionService()).signOut()
        #expect(stack.requests.isEmpty)

        signIn()
        try await repository(ScriptedSessionService()).signOut(leavingScreens: true)
        #expect(stack.requests == [NavigationPath()])
        #expect(manager.user == nil)
    }

    @Test("A failed sign-out keeps the stack")
    func failure() async throws {
        signIn()
        let service = ScriptedSessionService(signOutError: ServiceError.unavailable)

        await #expect(throws: ServiceError.unavailable) {
            try await repository(service).signOut(leavingScreens: true)
        }

        #expect(stack.requests.isEmpty)
        #expect(manager.user != nil)
    }

    @Test("The refused sign-out of a guest keeps the stack")
    func guest() async throws {
        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository(ScriptedSessionService()).signOut(leavingScreens: true)
        }

        #expect(stack.requests.isEmpty)
    }

    @Test("Action 'sign-out' leaves all screens only with '--home'", arguments: [true, false])
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
