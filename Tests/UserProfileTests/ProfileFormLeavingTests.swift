@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

/// Leaving the form: what it objects to, and what a person is told before.
@MainActor
@Suite("Leaving the profile form")
struct ProfileFormLeavingTests {
    private let manager = SessionManager.isolated()
    private let stack = FixedStack()

    init() {
        manager.mirror(stack)
        become(.ada)
    }

    private var session: SessionWriter { SessionWriter(manager) }

    private func form(_ services: RecordingServices? = nil) async throws -> ProfileEditViewModel {
        var standard = RecordingServices(session: session)
        standard.stored = .ada
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services ?? standard), session: SessionState(manager),
            navigator: RecordingNavigator())
        try await viewModel.load()
        return viewModel
    }

    private func become(_ user: SessionUser) {
        session.signIn(
            user,
            credential: SessionCredential(
                token: "\(user.id)-token", expiresAt: FixedClock().now().adding(seconds: 60)))
    }

    // MARK: - Objections

    @Test("A form in which nothing is set does not object")
    func untouched() async throws {
        #expect(try await form().leaveObjections.isEmpty)
    }

    @Test(
        "What is set and not submitted is named",
        arguments: [
            ([.age], "The age is not submitted."),
            ([.age, .lastName], "The last name and the age are not submitted."),
            (ProfileField.allCases, "The first name, the last name, the age and the bio are not submitted."),
        ])
    func unsaved(_ fields: [ProfileField], _ reason: String) async throws {
        let viewModel = try await form()

        for field in fields { _ = try await viewModel.set(field, to: field == .age ? "40" : "New") }

        #expect(viewModel.leaveObjections == [LeaveObjection(reason, hint: "submit")])
    }

    @Test("A value that was refused, or that is the stored one, is nothing to object for")
    func unchanged() async throws {
        let viewModel = try await form()
        _ = try? await viewModel.set(.age, to: "abc")
        _ = try await viewModel.set(.firstName, to: "Ada")

        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("After submit and after reset it does not object", arguments: ["submit", "reset"])
    func settled(_ action: String) async throws {
        let viewModel = try await form()
        _ = try await viewModel.set(.lastName, to: "King")

        _ = try await action == "submit" ? viewModel.submit() : viewModel.reset()

        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("After a submission that failed it objects still")
    func failed() async throws {
        var services = RecordingServices(session: session)
        services.stored = .ada
        services.receipt = .refused("No.")
        let viewModel = try await form(services)
        _ = try await viewModel.set(.lastName, to: "King")

        _ = try? await viewModel.submit()

        #expect(viewModel.leaveObjections.map(\.reason) == ["The last name is not submitted."])
    }

    @Test("A form that was filled in for another account does not object, until its owner is back")
    func anotherAccount() async throws {
        let viewModel = try await form()
        _ = try await viewModel.set(.lastName, to: "King")

        session.signOut()
        #expect(viewModel.leaveObjections.isEmpty)
        become(.bob)
        #expect(viewModel.leaveObjections.isEmpty)
        become(.ada)
        #expect(viewModel.leaveObjections.count == 1)
    }

    @Test("A form that came back and is not loaded yet objects for all that was set")
    func restored() throws {
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(RecordingServices(session: session)),
            session: SessionState(manager),
            navigator: RecordingNavigator())

        viewModel.restore(.init(account: "mock-ada", changes: ProfileChanges(bio: "")))
        #expect(viewModel.leaveObjections.map(\.reason) == ["The bio is not submitted."])

        viewModel.restore(.init(account: "bob", changes: ProfileChanges(bio: "")))
        #expect(viewModel.leaveObjections.isEmpty)
    }

    // MARK: - What a person is told

    /// Services that store profiles and can't notify anybody.
    private func withoutNotifications() -> RecordingServices {
        var services = RecordingServices(session: session)
        services.stored = .ada
        services.failure = ("notify", ServiceError.notifications)
        return services
    }

    private func viewModel(
        _ services: RecordingServices, _ navigator: AnsweringNavigator
    ) async throws -> ProfileEditViewModel {
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(services), session: SessionState(manager), navigator: navigator)
        try await viewModel.load()
        _ = try await viewModel.set(.lastName, to: "King")
        return viewModel
    }

    @Test(
        "Where only the notification fails, the person is told, and leaves after any answer",
        arguments: [String?.some("ok"), nil])
    func alert(_ answer: String?) async throws {
        let services = withoutNotifications()
        let navigator = AnsweringNavigator()
        let viewModel = try await viewModel(services, navigator)
        navigator.answer = { item in
            guard case .destination(let destination) = item.target, let alert = destination as? Alert else {
                Issue.record("An alert is expected.")
                return .cancelled
            }
            #expect(alert.title == "Your profile is stored")
            #expect(
                alert.message == """
                    The profile was stored, but its notification could not be sent.
                    Try: profile
                    """)
            #expect(alert.answers == [.ok])
            #expect(viewModel.warning?.code == .notificationFailed)
            #expect(viewModel.savedState.changes == ProfileChanges())
            return try answer.map { try PresentedResult($0) } ?? .cancelled
        }

        let result = try await viewModel.submit()

        #expect(navigator.count == 1)
        #expect(viewModel.warning == nil)
        #expect(result.message == "Submitted the profile of Ada King.")
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("Submitted from elsewhere, a notification that fails is an error; the profile is stored")
    func elsewhere() async throws {
        stack.path = NavigationPath(["profile/edit", "entities"])
        let navigator = AnsweringNavigator()
        let services = withoutNotifications()
        let viewModel = try await viewModel(services, navigator)

        let error = await #expect(throws: BusinessError.self) { try await viewModel.submit() }

        #expect(error?.code == .notificationFailed)
        #expect(error?.hint == "profile")
        #expect(navigator.count == 0)
        #expect(viewModel.warning == nil)
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("The session has the name of a profile whose notification failed")
    func nameInSession() async throws {
        become(.bob)
        let services = withoutNotifications()
        let repository = UserProfileRepository(
            profiles: MockUserProfileService(.test()), authentication: services, notifications: services,
            offline: OfflineStore.none, session: session, clock: FixedClock(), analytics: RecordingAnalytics()
        )
        let navigator = AnsweringNavigator()
        let viewModel = ProfileEditViewModel(
            repository: repository, session: SessionState(manager), navigator: navigator)
        navigator.answer = { _ in
            #expect(session.user?.displayName == "Bob Ross")
            return .cancelled
        }

        _ = try await viewModel.submit(ProfileChanges(firstName: "Bob", lastName: "Ross", age: 50))

        #expect(navigator.count == 1)
    }

    @Test("What a person was told is forgotten also where the answer never comes")
    func unanswered() async throws {
        let navigator = AnsweringNavigator()
        navigator.answer = { _ in throw CancellationError() }
        let viewModel = try await viewModel(withoutNotifications(), navigator)

        await #expect(throws: CancellationError.self) { try await viewModel.submit() }

        #expect(viewModel.warning == nil)
        #expect(viewModel.savedState.changes == ProfileChanges())
    }

    @Test("Nobody else is told about a profile that somebody submitted before they signed in")
    func toldToNobodyElse() async throws {
        var services = withoutNotifications()
        services.meanwhile = ("notify", { become(.bob) })
        let navigator = AnsweringNavigator()
        let viewModel = try await viewModel(services, navigator)

        _ = try await viewModel.submit()

        #expect(navigator.count == 0)
        #expect(viewModel.warning == nil)
    }

    @Test("A submission without trouble presents nothing")
    func silent() async throws {
        var services = withoutNotifications()
        services.failure = nil
        let navigator = AnsweringNavigator()
        let viewModel = try await viewModel(services, navigator)

        _ = try await viewModel.submit()

        #expect(navigator.count == 0)
    }
}
