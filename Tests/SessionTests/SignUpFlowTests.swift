@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import Session

@MainActor
@Suite("Sign-up flow")
struct SignUpFlowTests {
    private let clock = FixedClock()
    private let manager = SessionManager.isolated()
    private let stack = StubStack()
    private let navigator = RecordingNavigator()

    private var session: SessionWriter { SessionWriter(manager) }

    private func flow(
        _ service: (any SessionService)? = nil, navigator: (any Navigator)? = nil
    ) -> SignUpView {
        let repository = SessionRepository(
            service: service ?? MockSessionService(.test(), clock: clock), session: session, clock: clock,
            analytics: RecordingAnalytics(), logger: RecordingLog().logger)
        return SignUpView(
            viewModel: SignUpViewModel(
                repository: repository, session: SessionState(manager), navigator: navigator ?? self.navigator
            ))
    }

    private func perform(
        _ action: String, _ values: [String: String] = [:], on view: SignUpView
    ) async throws -> ActionResult {
        let action = try #require(view.actions.first { $0.name == action })
        return try await action.perform(ArgumentValues(values))
    }

    private static let bob = ["email": "bob@example.com", "password": "12345678"]

    /// Signs a user in outside of the flow.
    private func become(_ id: String, name: String? = nil) {
        session.signIn(
            SessionUser(id: id, email: "\(id)@example.com", displayName: name),
            credential: SessionCredential(token: id, expiresAt: clock.now().adding(seconds: 60)))
    }

    /// Sets the display name, as the profile form of another module does.
    private func giveName(_ name: String) throws {
        var user = try #require(session.user)
        user.displayName = name
        session.update(user)
    }

    private func json(_ view: SignUpView) -> String { JSONValue.object(view.body.json).serialized }

    // MARK: - All steps

    @Test("The flow goes from account to profile to done and ends")
    func wholeWay() async throws {
        let view = flow()
        try await view.load()
        #expect(view.viewModel.step == .account)

        let account = try await perform("account", Self.bob, on: view)
        #expect(account.message == "Signed up and signed in as bob@example.com.")
        #expect(view.viewModel.step == .profile)

        _ = try await perform("edit", on: view)
        #expect(navigator.moves == ["profile/edit"])
        try giveName("Bob Ross")
        try await view.load()
        #expect(view.viewModel.step == .done)

        let result = try await perform("next", on: view)
        #expect(result.message == "Welcome, Bob Ross.")
        guard case .leave(let destination) = result.presentation else {
            Issue.record("The flow is not left.")
            return
        }
        #expect(try destination?.link().description == "session")
        #expect(view.viewModel.flow.isFinished)
    }

    @Test("Each step shows its position and what to do; the hint depends on the current screen")
    func shown() async throws {
        manager.mirror(stack)
        let view = flow()
        try await view.load()

        #expect(
            json(view) == """
                {"title":"Sign up","flow":{"name":"Sign up","step":"account","title":"account","position":1,\
                "count":3,"isLoading":false,"isFinished":false},"email":null,"displayName":null,\
                "notices":[{"kind":"information","text":"Choose an email and a password for your account.",\
                "hint":"open session/sign-up"}]}
                """)
        stack.path = NavigationPath(["session/sign-in", "session/sign-up"])
        #expect(json(view).contains(#""hint":"account --email EMAIL""#))

        _ = try await perform("account", Self.bob, on: view)
        #expect(json(view).contains("Fill in your profile, or do it later."))
        #expect(json(view).contains(#""hint":"edit   or   skip""#))

        _ = try await perform("skip", on: view)
        #expect(json(view).contains("Welcome. You are signed up."))
    }

    @Test("The password is declared as a secret and not saved")
    func secret() async throws {
        let view = flow()
        #expect(view.actions.flatMap { $0.arguments.filter(\.isSecret).map(\.name) } == ["password"])

        _ = try await perform("account", ["email": "bob@example.com", "password": "pa55word-xyz"], on: view)

        #expect(try !StateCoding.encode(view.viewModel.savedState).contains("pa55word"))
    }

    // MARK: - Moves

    /// A state of the flow: its step and user.
    enum Start: String, CaseIterable {
        case guestAtAccount, personAtAccount, atProfile, namedAtProfile, atDone
    }

    private func view(at start: Start) async throws -> SignUpView {
        session.signOut()
        let view = flow()
        try await view.load()
        if start == .guestAtAccount { return view }
        become("bob")
        if start == .personAtAccount { return view }
        _ = try await perform("next", on: view)
        if start == .namedAtProfile { try giveName("Bob") }
        if start == .atDone { _ = try await perform("skip", on: view) }
        return view
    }

    @Test(
        "Each move from each state leads to the expected step, or fails and stays",
        arguments: [
            (Start.guestAtAccount, "next", "notAuthenticated"),
            (.guestAtAccount, "previous", "noEarlierStep"),
            (.guestAtAccount, "skip", "stepNotSkippable"),
            (.personAtAccount, "next", "-> profile"), (.personAtAccount, "previous", "noEarlierStep"),
            (.personAtAccount, "skip", "stepNotSkippable"),
            (.atProfile, "next", "profileNeeded"), (.atProfile, "previous", "-> account"),
            (.atProfile, "skip", "-> done"),
            (.namedAtProfile, "next", "-> done"), (.namedAtProfile, "previous", "-> account"),
            (.namedAtProfile, "skip", "-> done"),
            (.atDone, "next", "-> left"), (.atDone, "previous", "-> profile"),
            (.atDone, "skip", "stepNotSkippable"),
        ])
    func table(_ start: Start, _ move: String, _ expected: String) async throws {
        let view = try await view(at: start)
        let before = view.viewModel.step
        let outcome: String
        do {
            _ = try await perform(move, on: view)
            outcome = view.viewModel.flow.isFinished ? "-> left" : "-> \(view.viewModel.step)"
        } catch let error as any ExplainedError {
            outcome = error.code.rawValue
            #expect(view.viewModel.step == before)
            #expect(error.hint != nil)
        }

        #expect(outcome == expected)
    }

    @Test("Besides the moves, each step offers only its own action")
    func offered() async throws {
        let expected: [Start: [String]] = [
            .guestAtAccount: ["account"], .personAtAccount: ["account"], .atProfile: ["edit"],
            .namedAtProfile: ["edit"], .atDone: [],
        ]
        for start in Start.allCases {
            let names = try await view(at: start).actions.map(\.name)
            #expect(names == (expected[start] ?? []) + ["next", "previous", "skip"])
        }
    }

    @Test("A signed-in user starts at the profile, or at done if they have a name")
    func signedIn() async throws {
        become("bob")
        let view = flow()
        try await view.load()
        #expect(view.viewModel.step == .profile)

        try giveName("Bob")
        let other = flow()
        try await other.load()
        #expect(other.viewModel.step == .done)
    }

    // MARK: - Account

    @Test("Invalid credentials report every mistake without a request and keep the step")
    func invalid() async throws {
        let service = ScriptedSessionService()
        let view = flow(service)

        let error = await #expect(throws: ValidationError.self) {
            try await perform("account", ["email": "bob", "password": "short"], on: view)
        }

        #expect(error?.findings.map(\.field) == ["email", "password"])
        #expect(await service.calls.isEmpty)
        #expect(view.viewModel.step == .account)
    }

    @Test("A taken email and an unavailable service keep the step")
    func refused() async throws {
        for error in [ServiceError.emailTaken("bob@example.com"), .unavailable] {
            let view = flow(ScriptedSessionService(answer: .failure(error)))

            await #expect(throws: error) { try await perform("account", Self.bob, on: view) }

            #expect(view.viewModel.step == .account)
            #expect(session.user == nil)
        }
    }

    // MARK: - Profile form of another module

    @Test("If no module has the profile form, the step says so and can be skipped")
    func noForm() async throws {
        become("bob")
        let view = flow(navigator: FailingNavigator(code: "unknownLink"))
        try await view.load()

        let error = await #expect(throws: ServiceError.self) { try await perform("edit", on: view) }

        #expect(error?.code == "noProfileForm")
        #expect(
            error?.message == "No module has a form for your profile: the link 'profile/edit' is unknown.")
        #expect(error?.hint == "skip")
        #expect(json(view).contains("No module has a form for your profile"))
        _ = try await perform("skip", on: view)
        #expect(view.viewModel.step == .done)
    }

    @Test("Any other error while opening the form is thrown unchanged")
    func otherError() async throws {
        become("bob")
        let view = flow(navigator: FailingNavigator(code: "refused"))
        try await view.load()

        await #expect(throws: FailingNavigator.Failure(code: "refused")) {
            try await perform("edit", on: view)
        }

        #expect(!view.viewModel.lacksProfileForm)
    }

    // MARK: - Restoring

    @Test("A restored flow continues at its step", arguments: Start.allCases)
    func resumed(_ start: Start) async throws {
        let first = try await view(at: start)
        let kept = try StateCoding.encode(first.viewModel.savedState)
        let second = flow()

        second.viewModel.restore(try StateCoding.decode(SignUpViewModel.SavedState.self, from: kept))
        #expect(second.viewModel.step == first.viewModel.step)
        try await second.load()

        let expected: [Start: SignUpStep] = [
            .guestAtAccount: .account, .personAtAccount: .profile, .atProfile: .profile,
            .namedAtProfile: .done, .atDone: .done,
        ]
        #expect(second.viewModel.step == expected[start])
        #expect(second.viewModel.flow.skippedSteps == first.viewModel.flow.skippedSteps)
    }

    @Test("A finished flow that is restored starts again")
    func finished() async throws {
        let first = try await view(at: .atDone)
        _ = try await perform("next", on: first)
        let second = flow()

        second.viewModel.restore(first.viewModel.savedState)
        try await second.load()

        #expect(!second.viewModel.flow.isFinished)
        #expect(second.viewModel.step == .profile)
    }

    @Test(
        "After a change of user, the flow starts again",
        arguments: [Start.atProfile, .atDone], [nil, "eve"])
    func changedPerson(_ start: Start, _ next: String?) async throws {
        for move in ["next", "previous", "skip"] {
            let view = try await view(at: start)
            session.signOut()
            if let next { become(next) }
            #expect(view.viewModel.isOutdated)
            #expect(view.actions.map(\.name) == ["account", "next", "previous", "skip"])
            #expect(json(view).contains("Another person is signed in now; the sign-up starts again."))

            await #expect(throws: ServiceError.personChanged) { try await perform(move, on: view) }

            #expect(view.viewModel.step == .account)
            #expect(view.viewModel.flow.skippedSteps.isEmpty)
            session.signOut()
        }
    }

    @Test("Reloading the flow for another user starts it again, for a guest at the account")
    func shownToAnother() async throws {
        let view = try await view(at: .atDone)
        become("eve")
        try await view.load()
        #expect(view.viewModel.step == .profile)

        session.signOut()
        try await view.load()
        #expect(view.viewModel.step == .account)
    }

    @Test("If the session expires during the flow, it ends and the flow starts again")
    func expired() async throws {
        let view = try await view(at: .atProfile)
        clock.advance(seconds: 61)

        await #expect(throws: ServiceError.personChanged) { try await perform("next", on: view) }

        #expect(session.user == nil)
        #expect(view.viewModel.step == .account)
    }

    @Test("A running flow is listed")
    func listed() async throws {
        let view = try await view(at: .atProfile)

        #expect(FlowManager.shared.flows.contains(view.viewModel.flow.progress))
    }
}
