@_spi(Host) import AtriumKit
import AtriumTesting
import Synchronization
import TestSupport
import Testing

@testable import UserProfile

/// Reads while the server is unreachable.
@MainActor
@Suite("Profiles offline", .timeLimit(.minutes(5)))
struct ProfileOfflineTests {
    private let storage = TemporaryDatabase(owner: "UserProfile", migrations: UserProfileModule.migrations)
    private let clock = FixedClock()
    private let session = TestSession(.ada)
    private let services = FailingServices()
    private let log = RecordingLog()

    /// Creates the repositories of a host that uses a server.
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

    /// Signs another user in with Ada's credential.
    private func become(_ user: SessionUser) throws {
        session.writer.signIn(user, credential: try #require(session.writer.credential))
    }

    @Test("Saved answers are returned with their time, also by new repositories")
    func lastKnown() async throws {
        let (own, directory) = repositories()
        _ = try await own.profile()
        let person = try await directory.person("mock-ada")
        let then = clock.now()
        clock.advance(seconds: 600)
        services.fail(with: Self.offline)

        let later = repositories()

        for repository in [own, later.own] {
            let known = try await repository.profile()
            #expect(known.stored == Self.ada && known.asOf == then)
        }
        #expect(try await later.directory.person("mock-ada") == Stale(person.value, asOf: then))
        #expect(person.value.profile == Self.ada.profile)
    }

    @Test("What the server forbids to store is not saved", arguments: [true, false])
    func forbidden(isForbidden: Bool) async throws {
        services.forbidsStorage(isForbidden)
        let (own, directory) = repositories()
        _ = try await own.profile()
        _ = try await directory.person("mock-ada")
        let form = ProfileEditViewModel(
            repository: own, session: session.state, navigator: RecordingNavigator())
        try await form.load()
        _ = try await form.submit(["lastName": "Forbidden"])

        let saved = try await storage.dump("answerCopies")

        #expect(saved.count == (isForbidden ? 0 : 2))
        #expect(saved.contains { $0.contains("Forbidden") } == !isForbidden)
    }

    @Test("The absence of a profile is saved too")
    func noProfile() async throws {
        try become(.bob)
        _ = try await repositories().own.profile()
        services.fail(with: Self.offline)

        let own = try await repositories().own.profile()

        #expect(own.profile == nil)
        #expect(own.asOf == clock.now())
    }

    @Test("Saved answers are not shared between accounts or servers")
    func bound() async throws {
        let here = repositories()
        _ = try await here.own.profile()
        _ = try await here.directory.person("mock-grace")
        services.fail(with: Self.offline)

        for server in ["http://two", nil] {
            let other = repositories(server)
            await #expect(throws: Self.offline) { try await other.own.profile() }
            await #expect(throws: Self.offline) { try await other.directory.person("mock-grace") }
        }
        try become(.bob)
        await #expect(throws: Self.offline) { try await here.own.profile() }
        await #expect(throws: Self.offline) { try await here.directory.person("mock-grace") }
    }

    @Test("Without a saved answer, the error is thrown")
    func unknown() async throws {
        services.fail(with: Self.offline)

        await #expect(throws: Self.offline) { try await repositories().directory.person("mock-ada") }
    }

    @Test("Other errors are thrown even if there is a saved answer")
    func otherFailures() async throws {
        let (own, directory) = repositories()
        _ = try await own.profile()
        _ = try await directory.person("mock-ada")
        let failure = ServiceError.failed("It", cause: .problem(500, "internal"))
        services.fail(with: failure)

        await #expect(throws: failure) { try await own.profile(reloads: true) }
        await #expect(throws: failure) { try await directory.person("mock-ada") }
    }

    @Test("A submitted profile replaces the saved one")
    func submitted() async throws {
        let (own, _) = repositories()
        let form = ProfileEditViewModel(
            repository: own, session: session.state, navigator: RecordingNavigator())
        try await form.load()
        _ = try await form.submit(["lastName": "King"])
        services.fail(with: Self.offline)

        #expect(try await own.profile().profile?.fullName == "Ada King")
    }

    @Test("A user who is removed from the directory is removed from the saved answers")
    func gone() async throws {
        let (_, directory) = repositories()
        _ = try await directory.person("mock-ada")
        let gone = ServiceError.noRecord(DirectoryUser.self, "mock-ada")
        services.fail(with: gone)
        await #expect(throws: gone) { try await directory.person("mock-ada") }
        services.fail(with: Self.offline)

        await #expect(throws: Self.offline) { try await directory.person("mock-ada") }
    }

    @Test("A form keeps its values while the server is unreachable and can be submitted later")
    func form() async throws {
        _ = try await repositories().own.profile()
        services.fail(with: Self.offline)
        let form = ProfileEditViewModel(
            repository: repositories().own, session: session.state, navigator: RecordingNavigator())
        try await form.load()
        _ = try await form.set("lastName", to: "King")

        await #expect(throws: Self.offline) { try await form.submit() }

        #expect(form.asOf == clock.now())
        #expect(form.draft.changed.map(\.name) == ["lastName"])
        services.fail(with: nil)
        _ = try await form.submit()
        #expect(form.asOf == nil)
        #expect(form.draft.stored.fullName == "Ada King")
    }

    @Test("Each screen shows the time of its saved answer and how to refresh it")
    func screens() async throws {
        let (own, directory) = repositories()
        let views: [any View] = [
            ProfileView(
                viewModel: ProfileViewModel(
                    repository: own, session: session.state, navigator: RecordingNavigator())),
            UserView(
                viewModel: UserViewModel(id: "mock-ada", directory: directory, session: session.state)),
        ]
        for view in views { try await view.load() }
        clock.advance(seconds: 600)
        services.fail(with: Self.offline)
        for view in views { try await view.load() }

        for (view, hint) in zip(views, ["profile refresh", "users/mock-ada"]) {
            let json = JSONValue.object(view.body.json).serialized
            #expect(json.contains(#""asOf":"2026-01-01T00:00:00Z""#))
            #expect(
                json.contains(
                    #""text":"As of 2026-01-01 00:00 UTC: the server can't be reached.","hint":"\#(hint)""#))
        }
    }

    private static let offline = ServiceError.failed("It could not be asked", cause: .offline)
    private static let ada = StoredProfile(
        profile: MockProfileData.usual["mock-ada"] ?? Profile(), version: 1)
}

/// Mock services that throw an error set by the test.
private final class FailingServices: UserProfileService, ReadOnlyRecordService, AuthenticationService {
    private let profiles = MockUserProfileService(.test())
    private let directory = TestDirectory()
    private let failure = Mutex<(any Error)?>(nil)
    private let isForbidden = Mutex(false)

    func forbidsStorage(_ isSo: Bool) { isForbidden.withLock { $0 = isSo } }

    func fail(with error: (any Error)?) {
        failure.withLock { $0 = error }
    }

    private func check() throws {
        if let error = failure.withLock({ $0 }) { throw error }
        if isForbidden.withLock({ $0 }) { StorageConsent.refuse() }
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

    func page(_ query: RecordQuery<DirectoryUser>) async throws -> RecordPage<DirectoryUser> {
        try check()
        return try await directory.page(query)
    }

    func record(_ id: String) async throws -> DirectoryUser {
        try check()
        return try await directory.record(id)
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        try check()
        return credential != nil
    }
}
