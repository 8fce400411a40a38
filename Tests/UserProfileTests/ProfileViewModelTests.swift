@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@MainActor
@Suite("Profile and notifications")
struct ProfileViewModelTests {
    private let clock = FixedClock()
    private let session = TestSession(.ada)
    private let navigator = RecordingNavigator()
    private let notifications: MockNotificationService
    private let repository: UserProfileRepository

    init() {
        notifications = MockNotificationService(.test(), clock: clock)
        repository = UserProfileRepository(
            profiles: MockUserProfileService(.test()),
            authentication: MockAuthenticationService(behavior: .test(), clock: clock),
            notifications: notifications, offline: OfflineStore.none, session: session.writer, clock: clock,
            analytics: RecordingAnalytics())
    }

    private func profileViewModel() -> ProfileViewModel {
        ProfileViewModel(repository: repository, session: session.state, navigator: navigator)
    }

    private func shown() async throws -> String {
        let view = ProfileView(viewModel: profileViewModel())
        try await view.load()
        return JSONValue.object(view.body.json).serialized
    }

    @Test("A profile is shown with the email of the account")
    func complete() async throws {
        #expect(
            try await shown() == """
                {"title":"Profile","firstName":"Ada","lastName":"Lovelace","age":36,\
                "bio":"Wrote the first program, for a machine that was not built.",\
                "email":"ada@example.com","complete":true}
                """)
    }

    @Test("Without a profile, the view shows how to fill it in")
    func empty() async throws {
        session.writer.signIn(.bob, credential: try #require(session.writer.credential))

        #expect(
            try await shown() == """
                {"title":"Profile","firstName":null,"lastName":null,"age":null,"bio":null,\
                "email":"bob@example.com","complete":false,\
                "notices":[{"kind":"information","text":"Your profile is not filled in yet.",\
                "hint":"profile/edit submit --firstName FIRST --lastName LAST --age AGE"}]}
                """)
    }

    @Test("The screens require a signed-in user")
    func guards() {
        #expect(ProfileDestination.guards == [.signedIn])
        #expect(ProfileEditDestination.guards == [.signedIn])
        #expect(NotificationsDestination.guards == [.signedIn])
    }

    @Test("Loading fails for a guest and for an expired session", arguments: [true, false])
    func nobody(_ isGuest: Bool) async throws {
        if isGuest { session.writer.signOut() } else { clock.advance(seconds: 86_400) }

        let error = await #expect(throws: ServiceError.self) { try await shown() }

        #expect(error == .notAuthenticated)
        #expect(error?.hint == "session sign-in --email EMAIL")
    }

    @Test("Reloading after the session expired clears the profile")
    func endedMeanwhile() async throws {
        let viewModel = profileViewModel()
        try await viewModel.load()
        #expect(viewModel.profile != nil)
        clock.advance(seconds: 86_400)

        await #expect(throws: ServiceError.notAuthenticated) { try await viewModel.load() }

        #expect(viewModel.profile == nil)
        #expect(viewModel.email == nil)
    }

    @Test("If the service is unavailable, loading fails and shows no profile")
    func failure() async throws {
        var services = RecordingServices(session: session)
        services.failure = ("read", ServiceError.profiles)
        let viewModel = ProfileViewModel(
            repository: UserProfileRepository(services), session: session.state, navigator: navigator)

        await #expect(throws: ServiceError.profiles) { try await viewModel.load() }

        #expect(viewModel.profile == nil)
    }

    @Test("'edit' opens the form")
    func edit() async throws {
        let viewModel = profileViewModel()

        _ = try await viewModel.edit()

        #expect(navigator.moves == ["profile/edit"])
    }

    @Test("If the notification service is unavailable, loading fails and keeps what is listed")
    func notificationFailure() async throws {
        let behavior = MockBehavior.test()
        let repository = UserProfileRepository(
            profiles: MockUserProfileService(.test()),
            authentication: MockAuthenticationService(behavior: .test(), clock: clock),
            notifications: MockNotificationService(behavior, clock: clock), offline: OfflineStore.none,
            session: session.writer, clock: clock, analytics: RecordingAnalytics())
        try await repository.submit(.ada, ofAccount: "mock-ada")
        let viewModel = NotificationsViewModel(repository: repository, session: session.state)
        try await viewModel.load()
        behavior.scenario = MockScenario(.error)

        await #expect(throws: ServiceError.notifications) { try await viewModel.load() }

        #expect(viewModel.notifications.map(\.kind) == [.profileUpdated])
    }

    @Test("Notifications are listed newest first")
    func notificationList() async throws {
        let view = NotificationsView(
            viewModel: NotificationsViewModel(repository: repository, session: session.state))
        try await view.load()
        #expect(
            JSONValue.object(view.body.json).serialized == """
                {"title":"Notifications","rows":[],\
                "notices":[{"kind":"information","text":"You have no notifications."}]}
                """)

        try await repository.submit(.ada, ofAccount: "mock-ada")
        clock.advance(seconds: 60)
        try await repository.submit(.ada, ofAccount: "mock-ada")
        try await view.load()

        #expect(
            JSONValue.object(view.body.json).serialized == """
                {"title":"Notifications","rows":[\
                {"id":2,"kind":"profileUpdated","text":"Your profile was updated.",\
                "createdAt":"2026-01-01T00:01:00Z"},\
                {"id":1,"kind":"profileUpdated","text":"Your profile was updated.",\
                "createdAt":"2026-01-01T00:00:00Z"}]}
                """)
    }
}

extension ProfileViewModelTests {
    @Test("A shown profile is hidden from a guest and from the next user")
    func anotherPerson() async throws {
        let view = ProfileView(viewModel: profileViewModel())
        try await view.load()
        let credential = try #require(session.writer.credential)

        session.writer.signOut()
        #expect(JSONValue.object(view.body.json).serialized == Self.outdatedView)

        session.writer.signIn(.bob, credential: credential)
        #expect(JSONValue.object(view.body.json).serialized == Self.outdatedView)

        session.writer.signIn(.ada, credential: credential)
        #expect(view.viewModel.profile?.firstName == "Ada")
    }

    private static let outdatedView = """
        {"title":"Profile","firstName":null,"lastName":null,"age":null,"bio":null,"email":null,\
        "complete":false,"notices":[{"kind":"information",\
        "text":"Who is signed in has changed since this was loaded.","hint":"profile refresh"}]}
        """

    @Test("Shown notifications are hidden from the next user")
    func notificationsOfAnother() async throws {
        try await repository.submit(.ada, ofAccount: "mock-ada")
        let viewModel = NotificationsViewModel(repository: repository, session: session.state)
        let view = NotificationsView(viewModel: viewModel)
        try await view.load()
        #expect(viewModel.notifications.count == 1)

        session.writer.signIn(.bob, credential: try #require(session.writer.credential))

        #expect(
            JSONValue.object(view.body.json).serialized == """
                {"title":"Notifications","rows":[],"notices":[{"kind":"information",\
                "text":"Who is signed in has changed since this was loaded.","hint":"profile/notifications"}]}
                """)
    }
}
