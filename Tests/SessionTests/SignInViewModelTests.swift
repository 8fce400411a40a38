@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Sign-in view model and view")
struct SignInViewModelTests {
    private let clock = FixedClock()
    private let manager = SessionManager.isolated()
    private let stack = StubStack()
    private let navigator = RecordingNavigator()

    private var session: SessionWriter { SessionWriter(manager) }

    private func view(_ service: (any SessionService)? = nil) -> SignInView {
        manager.mirror(stack)
        let repository = SessionRepository(
            service: service ?? MockSessionService(.test(), clock: clock), session: session, clock: clock,
            analytics: RecordingAnalytics(), logger: RecordingLog().logger)
        return SignInView(
            viewModel: SignInViewModel(
                repository: repository, session: SessionState(manager), navigator: navigator))
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on view: SignInView
    ) async throws -> ActionResult {
        let action = try #require(view.actions.first { $0.name == action })
        return try await action.perform(ArgumentValues(values))
    }

    private func json(_ view: SignInView) -> String { JSONValue.object(view.body.json).serialized }

    @Test("A guest sees how to sign in; the hint depends on the current screen")
    func guest() async throws {
        let view = view()
        try await view.load()

        #expect(
            json(view) == """
                {"title":"Sign in","email":null,"notices":[{"kind":"information",\
                "text":"Sign in, or sign up if you have no account yet.",\
                "hint":"session sign-in --email EMAIL"}]}
                """)
        stack.path = NavigationPath(["session/sign-in"])
        #expect(json(view).contains(#""hint":"sign-in --email EMAIL   or   sign-up""#))
    }

    @Test("Signing in leaves the screen, with the session as default destination")
    func signIn() async throws {
        let view = view()

        let result = try await perform(
            "sign-in", ["email": "ADA@example.com", "password": "difference engine"], on: view)

        #expect(result.message == "Signed in as ada@example.com.")
        #expect(session.user?.email == "ada@example.com")
        guard case .leave(let destination) = result.presentation else {
            Issue.record("The screen is not left.")
            return
        }
        #expect(try destination?.link().description == "session")
    }

    @Test("A wrong password and an unknown email give the same error")
    func wrong() async throws {
        let view = view()
        for email in ["ada@example.com", "nobody@example.com", ""] {
            let error = await #expect(throws: ServiceError.self) {
                try await perform("sign-in", ["email": email, "password": "wrong"], on: view)
            }

            #expect(error == .invalidCredentials)
        }
        #expect(session.user == nil)
    }

    @Test("A sign-in that fails because the service is unavailable keeps the session")
    func unavailable() async throws {
        session.signIn(SessionGrant.ada.user, credential: SessionGrant.ada.credential)
        let view = view(ScriptedSessionService(answer: .failure(ServiceError.unavailable)))

        await #expect(throws: ServiceError.unavailable) {
            try await perform("sign-in", ["email": "bob@example.com", "password": "12345678"], on: view)
        }

        #expect(session.user == SessionGrant.ada.user)
    }

    @Test("A signed-in user sees a notice")
    func signedIn() async throws {
        session.signIn(SessionGrant.ada.user, credential: SessionGrant.ada.credential)
        let view = view()
        stack.path = NavigationPath(["session/sign-in"])
        try await view.load()

        #expect(
            json(view) == """
                {"title":"Sign in","email":"ada@example.com","notices":[{"kind":"information",\
                "text":"You are signed in as ada@example.com.","hint":"back"}]}
                """)
    }

    @Test("An expired session ends when the screen loads")
    func expired() async throws {
        session.signIn(SessionGrant.ada.user, credential: SessionGrant.ada.credential)
        clock.advance(seconds: SessionGrant.lifetime)
        let view = view()

        try await view.load()

        #expect(session.user == nil)
        #expect(view.viewModel.email == nil)
    }

    @Test("'sign-up' pushes the sign-up screen")
    func signUp() async throws {
        _ = try await perform("sign-up", on: view())

        #expect(navigator.moves == ["session/sign-up"])
    }

    @Test("The password is declared as a secret")
    func secret() {
        #expect(view().actions.flatMap { $0.arguments.filter(\.isSecret).map(\.name) } == ["password"])
    }
}
