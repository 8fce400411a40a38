@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Session view model and view")
struct SessionViewModelTests {
    private let clock = FixedClock()
    private let session = TestSession()
    private let service: MockSessionService
    private let view: SessionView

    init() {
        service = MockSessionService(.test(), clock: clock)
        let repository = SessionRepository(
            service: service, session: session.writer, clock: clock, analytics: RecordingAnalytics(),
            logger: RecordingLog().logger)
        view = SessionView(viewModel: SessionViewModel(repository: repository, session: session.state))
    }

    private func perform(_ action: String, _ values: [String: String] = [:]) async throws -> ActionResult {
        let action = try #require(view.actions.first { $0.name == action })
        return try await action.perform(ArgumentValues(values))
    }

    private var json: String { JSONValue.object(view.body.json).serialized }

    @Test("A guest sees how to sign in")
    func guest() async throws {
        try await view.load()

        #expect(
            json == """
                {"title":"Session","signedIn":false,"email":null,"displayName":null,"expiresAt":null,\
                "notices":[{"kind":"information","text":"Nobody is signed in.",\
                "hint":"session sign-in --email EMAIL"}]}
                """)
    }

    @Test("Signing in shows the user")
    func signIn() async throws {
        let result = try await perform(
            "sign-in", ["email": "ADA@example.com", "password": "difference engine"])

        #expect(result.message == "Signed in as ada@example.com.")
        #expect(
            json == """
                {"title":"Session","signedIn":true,"email":"ada@example.com","displayName":"Ada Lovelace",\
                "expiresAt":"2026-01-31T00:00:00Z"}
                """)
    }

    @Test("Signing up signs in")
    func signUp() async throws {
        let result = try await perform("sign-up", ["email": "bob@example.com", "password": "12345678"])

        #expect(result.message == "Signed up and signed in as bob@example.com.")
        #expect(view.viewModel.isSignedIn)
        #expect(view.viewModel.email == "bob@example.com")
    }

    @Test("Signing up with invalid credentials reports every mistake and creates no account")
    func invalidSignUp() async throws {
        let error = await #expect(throws: ValidationError.self) {
            try await perform("sign-up", ["email": "bob", "password": "short"])
        }

        #expect(error?.code == .validation)
        #expect(
            error?.message == """
                The email needs exactly one '@' with text on both sides. \
                The password has 5 characters; at least 8 are needed.
                """)
        await #expect(throws: ServiceError.invalidCredentials) {
            try await service.signIn(Credentials(email: "bob", password: "short"))
        }
    }

    @Test("Signing up with a taken email is an error that suggests signing in")
    func emailTaken() async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await perform("sign-up", ["email": "Ada@example.com", "password": "12345678"])
        }

        #expect(error?.code == "emailTaken")
        #expect(error?.message == "There is an account for 'Ada@example.com' already.")
        #expect(error?.hint == "session sign-in --email Ada@example.com")
        #expect(!view.viewModel.isSignedIn)
    }

    @Test("A wrong password is an error and keeps the session")
    func wrongPassword() async throws {
        _ = try await perform("sign-in", ["email": "ada@example.com", "password": "difference engine"])

        let error = await #expect(throws: ServiceError.self) {
            try await perform("sign-in", ["email": "grace@example.com", "password": "wrong"])
        }

        #expect(error?.code == "invalidCredentials")
        #expect(error?.message == "Email or password is wrong.")
        #expect(view.viewModel.email == "ada@example.com")
    }

    @Test("After signing out, a second sign-out is refused")
    func signOut() async throws {
        _ = try await perform("sign-in", ["email": "ada@example.com", "password": "difference engine"])

        let result = try await perform("sign-out")

        #expect(result.message == "Signed out.")
        #expect(!view.viewModel.isSignedIn)
        let error = await #expect(throws: ServiceError.self) { try await perform("sign-out") }
        #expect(error?.code == .notAuthenticated)
        #expect(error?.message == "You are not signed in.")
    }

    @Test("The end of a session is shown once")
    func expired() async throws {
        _ = try await perform("sign-in", ["email": "ada@example.com", "password": "difference engine"])
        clock.advance(seconds: SessionGrant.lifetime)

        try await view.load()
        #expect(!view.viewModel.isSignedIn)
        #expect(json.contains("Your session has ended."))

        try await view.load()
        #expect(json.contains("Nobody is signed in."))
    }

    @Test("Passwords are declared as secrets")
    func secrets() {
        let secrets = view.actions.flatMap { action in
            action.arguments.filter(\.isSecret).map { "\(action.name) \($0.name)" }
        }

        #expect(secrets == ["sign-up password", "sign-in password"])
    }

    @Test("The links of the stack are shown if there are any")
    func places() async throws {
        let manager = SessionManager.isolated()
        let stack = StubStack()
        manager.mirror(stack)
        let repository = SessionRepository(
            service: service, session: SessionWriter(manager), clock: clock,
            analytics: RecordingAnalytics(), logger: RecordingLog().logger)
        let view = SessionView(
            viewModel: SessionViewModel(repository: repository, session: SessionState(manager)))
        #expect(view.body.json["stack"] == nil)

        stack.path = NavigationPath(["entities", "entities/1"])

        #expect(view.body.json["stack"] == .array([.string("entities"), .string("entities/1")]))
    }
}
