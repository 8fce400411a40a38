@_spi(Host) import AtriumKit
import AtriumTesting
import Synchronization
import TestSupport
import Testing

@testable import UserProfile

/// Reads while the server can't be asked.
@MainActor
@Suite("Profiles without the server", .timeLimit(.minutes(5)))
struct ProfileOfflineTests {
    private let storage = TemporaryDatabase(owner: "UserProfile", migrations: UserProfileModule.migrations)
    private let clock = FixedClock()
    private let session = TestSession(.ada)
    private let services = FailingServices()
    private let log = RecordingLog()

    /// The repositories of a host that talks to a server.
    private func repositories(
        _ server: String? = "http://one"
    ) -> (own: UserProfileRepository, directory: UserDirectoryRepository) {
        let offline = OfflineStore(
            database: storage.database, server: server, clock: clock, logger: log.logger)
        let own = UserProfileRepository(
            profiles: services, authentication: services,
            notifications: MockNotificationService(.test(), clock: clock), offline: offline,
            session: session.writer, clock: clock, analytics: RecordingAnalytics())
        let directory = UserDirectoryRepository(
            directory: services, profiles: services, offline: offline, session: session.writer, clock: clock)
        return (own, directory)
    }

    /// Signs somebody else in, for as long as Ada is.
    private func become(_ user: SessionUser) throws {
        session.writer.signIn(user, credential: try #require(session.writer.credential))
    }

    @Test("What was read last is shown with when that was, in another process too")
    func lastKnown() async throws {
        let (own, directory) = repositories()
        _ = try await own.profile()
        let page = try await directory.users(UserQuery())
        let person = try await directory.person("mock-ada")
        let then = clock.now()
        clock.advance(seconds: 600)
        services.fail(with: Self.offline)

        let later = repositories()

        for repository in [own, later.own] {
            let known = try await repository.profile()
            #expect(known.stored == Self.ada && known.asOf == then)
        }
        #expect(try await later.directory.users(UserQuery()) == Stale(page.value, asOf: then))
        #expect(try await later.directory.person("mock-ada") == Stale(person.value, asOf: then))
        #expect(page.value.total == 6 && person.value.profile == Self.ada.profile)
    }

    @Test("That there is no profile is known, too")
    func noProfile() async throws {
        try become(.bob)
        _ = try await repositories().own.profile()
        services.fail(with: Self.offline)

        let own = try await repositories().own.profile()

        #expect(own.profile == nil)
        #expect(own.asOf == clock.now())
    }

    @Test("What one account was answered is shown to no other, and what one server answered for no other")
    func bound() async throws {
        let here = repositories()
        _ = try await here.own.profile()
        _ = try await here.directory.users(UserQuery())
        _ = try await here.directory.person("mock-grace")
        services.fail(with: Self.offline)

        for server in ["http://two", nil] {
            let other = repositories(server)
            await #expect(throws: ServiceError.self) { try await other.own.profile() }
            await #expect(throws: ServiceError.self) { try await other.directory.users(UserQuery()) }
        }
        try become(.bob)
        await #expect(throws: ServiceError.self) { try await here.own.profile() }
        await #expect(throws: ServiceError.self) { try await here.directory.users(UserQuery()) }
        await #expect(throws: ServiceError.self) { try await here.directory.person("mock-grace") }
    }

    @Test("What was not asked for before is not made up", arguments: [2, 1])
    func unknown(_ page: Int) async throws {
        let query = UserQuery(filter: UserFilter(search: page == 1 ? "ada" : nil), page: page)
        _ = try await repositories().directory.users(UserQuery())
        services.fail(with: Self.offline)

        await #expect(throws: ServiceError.self) { try await repositories().directory.users(query) }
        await #expect(throws: ServiceError.self) { try await repositories().directory.person("mock-ada") }
    }

    @Test("A failure of another kind is told, whatever is known")
    func otherFailures() async throws {
        let (own, directory) = repositories()
        _ = try await own.profile()
        _ = try await directory.users(UserQuery())
        services.fail(with: ServiceError.failed("It", cause: .problem(500, "internal")))

        await #expect(throws: ServiceError.self) { try await own.profile(reloads: true) }
        await #expect(throws: ServiceError.self) { try await directory.users(UserQuery()) }
    }

    @Test("A profile that was submitted is the last known one")
    func submitted() async throws {
        let (own, _) = repositories()
        let form = ProfileEditViewModel(
            repository: own, session: session.state, navigator: RecordingNavigator())
        try await form.load()
        _ = try await form.submit(ProfileChanges(lastName: "King"))
        services.fail(with: Self.offline)

        #expect(try await own.profile().profile?.fullName == "Ada King")
    }

    @Test("Who is not in the directory any more is not known, either")
    func gone() async throws {
        let (_, directory) = repositories()
        _ = try await directory.person("mock-ada")
        services.fail(with: DirectoryError.notFound("mock-ada"))
        await #expect(throws: DirectoryError.self) { try await directory.person("mock-ada") }
        services.fail(with: Self.offline)

        await #expect(throws: ServiceError.self) { try await directory.person("mock-ada") }
    }

    @Test("A form keeps what is set while the server can't be asked, and submits it when it can")
    func form() async throws {
        _ = try await repositories().own.profile()
        services.fail(with: Self.offline)
        let form = ProfileEditViewModel(
            repository: repositories().own, session: session.state, navigator: RecordingNavigator())
        try await form.load()
        _ = try await form.set(.lastName, to: "King")

        await #expect(throws: ServiceError.self) { try await form.submit() }

        #expect(form.asOf == clock.now())
        #expect(form.unsaved == [.lastName])
        services.fail(with: nil)
        _ = try await form.submit()
        #expect(form.asOf == nil)
        #expect(form.stored.fullName == "Ada King")
    }

    @Test("Each screen says from when it is, and what asks again")
    func screens() async throws {
        let (own, directory) = repositories()
        let views: [any View] = [
            ProfileView(
                viewModel: ProfileViewModel(
                    repository: own, session: session.state, navigator: RecordingNavigator())),
            UserListView(
                viewModel: UserListViewModel(
                    destination: UserListDestination(search: "a"),
                    find: FindUsersInDirectory(directory: directory),
                    directory: directory, session: session.state)),
            UserView(
                viewModel: UserViewModel(id: "mock-ada", directory: directory, session: session.state)),
        ]
        for view in views { try await view.load() }
        clock.advance(seconds: 600)
        services.fail(with: Self.offline)
        for view in views { try await view.load() }

        for (view, hint) in zip(views, ["profile refresh", "users?search=a", "users/mock-ada"]) {
            let json = JSONValue.object(view.body.json).serialized
            #expect(json.contains(#""asOf":"2026-01-01T00:00:00Z""#))
            #expect(
                json.contains(
                    #""text":"As of 2026-01-01 00:00 UTC: the server can't be asked.","hint":"\#(hint)""#))
        }
    }

    private static let offline = ServiceError.failed("It could not be asked", cause: .offline)
    private static let ada = StoredProfile(
        profile: MockProfileData.usual["mock-ada"] ?? Profile(), version: 1)
}

/// The mock services, which fail where they are told to.
private final class FailingServices: UserProfileService, UserDirectoryService, AuthenticationService {
    private let profiles = MockUserProfileService(.test())
    private let directory = MockUserDirectoryService(behavior: .test())
    private let failure = Mutex<(any Error)?>(nil)

    func fail(with error: (any Error)?) {
        failure.withLock { $0 = error }
    }

    private func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }

    func profile(ofAccount account: String) async throws -> StoredProfile? {
        try check()
        return try await profiles.profile(ofAccount: account)
    }

    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        try check()
        return try await profiles.submit(profile, ofAccount: account, replacing: version)
    }

    func users(_ query: UserQuery) async throws -> UserPage {
        try check()
        return try await directory.users(query)
    }

    func user(_ id: String) async throws -> DirectoryUser {
        try check()
        return try await directory.user(id)
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        try check()
        return credential != nil
    }
}
