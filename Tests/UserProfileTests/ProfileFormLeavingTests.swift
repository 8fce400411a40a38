@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

/// Objections to leaving the form, and alerts before it is left.
@MainActor
@Suite("Profile form: leaving")
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

    @Test("A form without changes does not object")
    func untouched() async throws {
        #expect(try await form().leaveObjections.isEmpty)
    }

    @Test(
        "Objections name the fields that are not submitted",
        arguments: [
            (["age"], "The field 'age' is not submitted."),
            (["age", "lastName"], "2 fields are not submitted."),
            (["firstName", "lastName", "age", "bio"], "4 fields are not submitted."),
        ])
    func unsaved(_ fields: [String], _ reason: String) async throws {
        let viewModel = try await form()

        for field in fields { _ = try await viewModel.set(field, to: field == "age" ? "40" : "New") }

        #expect(viewModel.leaveObjections == [LeaveObjection(reason, hint: "submit")])
    }

    @Test("Refused values and values equal to the stored ones cause no objection")
    func unchanged() async throws {
        let viewModel = try await form()
        _ = try? await viewModel.set("age", to: "abc")
        _ = try await viewModel.set("firstName", to: "Ada")

        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("After 'submit' and 'reset', the form does not object", arguments: ["submit", "reset"])
    func settled(_ action: String) async throws {
        let viewModel = try await form()
        _ = try await viewModel.set("lastName", to: "King")

        _ = try await action == "submit" ? viewModel.submit() : viewModel.reset()

        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("After a failed submission, the form still objects")
    func failed() async throws {
        var services = RecordingServices(session: session)
        services.stored = .ada
        services.receipt = .refused("No.")
        let viewModel = try await form(services)
        _ = try await viewModel.set("lastName", to: "King")

        _ = try? await viewModel.submit()

        #expect(viewModel.leaveObjections.map(\.reason) == ["The field 'lastName' is not submitted."])
    }

    @Test("A form that another account filled in objects only once its owner is signed in again")
    func anotherAccount() async throws {
        let viewModel = try await form()
        _ = try await viewModel.set("lastName", to: "King")

        session.signOut()
        #expect(viewModel.leaveObjections.isEmpty)
        become(.bob)
        #expect(viewModel.leaveObjections.isEmpty)
        become(.ada)
        #expect(viewModel.leaveObjections.count == 1)
    }

    @Test("A restored form that is not loaded yet objects for its owner's changes")
    func restored() throws {
        let viewModel = ProfileEditViewModel(
            repository: UserProfileRepository(RecordingServices(session: session)),
            session: SessionState(manager),
            navigator: RecordingNavigator())

        func input(of account: String) -> RecordInput {
            RecordInput(texts: ["bio": "New"], stored: ["bio": ""], account: account)
        }
        viewModel.restore(input(of: "mock-ada"))
        #expect(viewModel.leaveObjections.map(\.reason) == ["The field 'bio' is not submitted."])

        viewModel.restore(input(of: "bob"))
        #expect(viewModel.leaveObjections.isEmpty)
    }

    // MARK: - Alerts

    /// Services that store profiles and fail to send notifications.
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
        _ = try await viewModel.set("lastName", to: "King")
        return viewModel
    }

    @Test(
        "If only the notification fails, an alert is shown, and any answer leaves the form",
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
            #expect(viewModel.savedState == nil)
            return try answer.map { try PresentedResult($0) } ?? .cancelled
        }

        let result = try await viewModel.submit()

        #expect(navigator.count == 1)
        #expect(viewModel.warning == nil)
        #expect(result.message == "Submitted the profile of Ada King.")
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("If the form is not on top of the stack, a failed notification is an error instead of an alert")
    func elsewhere() async throws {
        stack.path = NavigationPath(["profile/edit", "entities"])
        let navigator = AnsweringNavigator()
        let services = withoutNotifications()
        let viewModel = try await viewModel(services, navigator)

        let error = await #expect(throws: ServiceError.self) { try await viewModel.submit() }

        #expect(error?.code == .notificationFailed)
        #expect(error?.hint == "profile")
        #expect(navigator.count == 0)
        #expect(viewModel.warning == nil)
        #expect(services.submitted.all == ["mock-ada: Ada King, 36, no bio"])
        #expect(viewModel.leaveObjections.isEmpty)
    }

    @Test("The session has the new display name although the notification failed")
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

        _ = try await viewModel.submit(["firstName": "Bob", "lastName": "Ross", "age": "50"])

        #expect(navigator.count == 1)
    }

    @Test("The warning is cleared even if the alert is cancelled")
    func unanswered() async throws {
        let navigator = AnsweringNavigator()
        navigator.answer = { _ in throw CancellationError() }
        let viewModel = try await viewModel(withoutNotifications(), navigator)

        await #expect(throws: CancellationError.self) { try await viewModel.submit() }

        #expect(viewModel.warning == nil)
        #expect(viewModel.savedState == nil)
    }

    @Test("After a change of user, the alert about the former user's profile is not shown")
    func toldToNobodyElse() async throws {
        var services = withoutNotifications()
        services.meanwhile = ("notify", { become(.bob) })
        let navigator = AnsweringNavigator()
        let viewModel = try await viewModel(services, navigator)

        _ = try await viewModel.submit()

        #expect(navigator.count == 0)
        #expect(viewModel.warning == nil)
    }

    @Test("A successful submission shows no alert")
    func silent() async throws {
        var services = withoutNotifications()
        services.failure = nil
        let navigator = AnsweringNavigator()
        let viewModel = try await viewModel(services, navigator)

        _ = try await viewModel.submit()

        #expect(navigator.count == 0)
    }
}
