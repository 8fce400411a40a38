import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import UserProfile

@MainActor
@Suite("Profile cache", .timeLimit(.minutes(5)))
struct ProfileCacheTests {
    private let session = TestSession(.ada, expiresAt: FixedClock().now().adding(seconds: 86_400))
    private let services: RecordingServices
    private let repository: UserProfileRepository

    init() {
        var services = RecordingServices(session: session)
        services.stored = .ada
        self.services = services
        repository = UserProfileRepository(services)
    }

    private var reads: Int { services.log.all.count { $0.hasPrefix("read") } }
    private var calls: Int { services.log.all.count }

    @Test(
        "A profile is cached for 300 seconds, during which no service is called",
        arguments: [(299, 1), (300, 2), (301, 2)])
    func lifetime(_ seconds: Int, _ expected: Int) async throws {
        _ = try await repository.profile()
        services.clock.advance(seconds: seconds)

        _ = try await repository.profile()

        #expect(reads == expected)
        #expect(calls == 2 * expected)
    }

    @Test("The absence of a profile is cached too")
    func noProfile() async throws {
        let services = RecordingServices(session: session)
        let repository = UserProfileRepository(services)

        #expect(try await repository.profile().profile == nil)
        #expect(try await repository.profile().profile == nil)

        #expect(services.log.all == ["authenticate as nobody", "read as nobody"])
    }

    @Test("The check for a submitted profile always calls the services")
    func health() async throws {
        _ = try await repository.profile()

        #expect(try await repository.isSubmitted())

        #expect(reads == 2)
        #expect(calls == 4)
    }

    @Test("A cached profile is not returned after the session expired")
    func expiry() async throws {
        let session = TestSession(.ada, expiresAt: FixedClock().now().adding(seconds: 10))
        let services = RecordingServices(session: session)
        let repository = UserProfileRepository(services)
        _ = try await repository.profile()
        services.clock.advance(seconds: 10)

        await #expect(throws: ServiceError.notAuthenticated) { try await repository.profile() }
    }

    @Test(
        "A successful submission clears the cache; a failed or refused one does not",
        arguments: ["", "submit", "refused"])
    func invalidation(_ failing: String) async throws {
        var services = RecordingServices(session: session)
        services.stored = .ada
        if failing == "submit" { services.failure = ("submit", ServiceError.profiles) }
        if failing == "refused" { services.receipt = .refused(nil) }
        let repository = UserProfileRepository(services)
        _ = try await repository.profile()

        _ = try? await repository.submit(.ada, ofAccount: "mock-ada")
        _ = try await repository.profile()

        #expect(services.log.all.count { $0.hasPrefix("read") } == (failing.isEmpty ? 2 : 1))
    }

    @Test("A submission whose notification fails clears the cache")
    func notificationFails() async throws {
        var services = RecordingServices(session: session)
        services.stored = .ada
        services.failure = ("notify", ServiceError.notifications)
        let repository = UserProfileRepository(services)
        _ = try await repository.profile()

        _ = try? await repository.submit(.ada, ofAccount: "mock-ada")
        _ = try await repository.profile()

        #expect(services.log.all.count { $0.hasPrefix("read") } == 2)
    }

    @Test("Fifty concurrent requests share one read")
    func singleFlight() async throws {
        let gate = GatedProfiles(.ada)
        let repository = gate.repository(session)
        let tasks = (0..<50).map { _ in Task { try await repository.profile().profile } }
        await gate.waitForRead()
        for _ in 0..<200 { await Task.yield() }

        await gate.open()

        for task in tasks { #expect(try await task.value == .ada) }
        #expect(await gate.reads == 1)
    }

    @Test("A failed read fails all waiters and is not cached")
    func failure() async throws {
        let gate = GatedProfiles(.ada)
        let repository = gate.repository(session)
        let tasks = (0..<3).map { _ in Task { try await repository.profile().profile } }
        await gate.waitForRead()
        for _ in 0..<200 { await Task.yield() }

        await gate.open(failing: true)

        for task in tasks { await #expect(throws: ServiceError.profiles) { try await task.value } }
        await gate.open()
        #expect(try await repository.profile().profile == .ada)
    }

    @Test("A read that a submission overtakes is neither cached nor saved")
    func race() async throws {
        let old = Profile(firstName: "Ada", lastName: "Byron", age: 20)
        let gate = GatedProfiles(old)
        let storage = TemporaryDatabase(owner: "UserProfile", migrations: UserProfileModule.migrations)
        let offline = OfflineStore(
            database: storage.database, server: "http://one", clock: FixedClock(),
            logger: RecordingLog().logger)
        let repository = gate.repository(session, offline)
        let first = Task { try await repository.profile().profile }
        await gate.waitForRead()

        try await repository.submit(.ada, ofAccount: "mock-ada")
        await gate.open(answering: old)

        #expect(try await first.value == old)
        let copy = await offline.value(
            StoredProfile.self, for: "profile mock-ada", account: "mock-ada")
        #expect(copy?.value.profile == .ada)
        #expect(try await repository.profile().profile == .ada)
        #expect(await gate.reads == 2)
    }

    @Test("A change of user clears the cache, also for the first user's return")
    func anotherPerson() async throws {
        _ = try await repository.profile()
        let credential = try #require(session.writer.credential)

        session.writer.signIn(.bob, credential: credential)
        #expect(try await repository.profile().user == .bob)
        session.writer.signIn(.ada, credential: credential)
        _ = try await repository.profile()

        #expect(reads == 3)
    }

    @Test("A new display name does not clear the cache")
    func updated() async throws {
        _ = try await repository.profile()
        #expect(session.writer.user?.displayName == "Ada Lovelace")

        _ = try await repository.profile()

        #expect(reads == 1)
    }

    /// The view models of the profile screen and form.
    private var screens: (screen: ProfileViewModel, form: ProfileEditViewModel) {
        let navigator = RecordingNavigator()
        return (
            ProfileViewModel(repository: repository, session: session.state, navigator: navigator),
            ProfileEditViewModel(repository: repository, session: session.state, navigator: navigator)
        )
    }

    @Test("The form and 'refresh' fetch the profile again; the screen does not")
    func asking() async throws {
        let (screen, form) = screens

        try await screen.load()
        try await screen.load()
        #expect(reads == 1)
        try await form.load()
        #expect(reads == 2)
        _ = try await screen.refresh()
        #expect(reads == 3)
    }

    @Test("A screen shows a submission from another screen at once")
    func otherScreen() async throws {
        let (screen, form) = screens
        try await screen.load()

        _ = try await form.submit(["lastName": "King"])

        #expect(screen.profile?.lastName == "King")
    }
}

/// A profile service that holds reads until it is opened and stores submissions.
private actor GatedProfiles: UserProfileService {
    private(set) var reads = 0
    private var stored: Profile
    private var isOpen = false
    private var waiting: [CheckedContinuation<Profile, any Error>] = []
    private var observers: [CheckedContinuation<Void, Never>] = []

    init(_ stored: Profile) {
        self.stored = stored
    }

    nonisolated func repository(
        _ session: TestSession, _ offline: OfflineStore = OfflineStore.none
    ) -> UserProfileRepository {
        MainActor.assumeIsolated {
            UserProfileRepository(
                profiles: self,
                authentication: MockAuthenticationService(behavior: .test(), clock: FixedClock()),
                notifications: MockNotificationService(.test(), clock: FixedClock()), offline: offline,
                session: session.writer, clock: FixedClock(), analytics: RecordingAnalytics())
        }
    }

    func profile(ofAccount account: String) async throws -> StoredProfile? {
        StoredProfile(profile: try await read(), version: 1)
    }

    private func read() async throws -> Profile {
        reads += 1
        for observer in observers { observer.resume() }
        observers = []
        if isOpen { return stored }
        return try await withCheckedThrowingContinuation { waiting.append($0) }
    }

    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        stored = profile
        return .accepted(2)
    }

    /// Returns once a read has begun.
    func waitForRead() async {
        if reads == 0 { await withCheckedContinuation { observers.append($0) } }
    }

    /// Answers the held reads, and all later ones at once.
    func open(answering profile: Profile? = nil, failing: Bool = false) {
        isOpen = true
        for continuation in waiting {
            if failing {
                continuation.resume(throwing: ServiceError.profiles)
            } else {
                continuation.resume(returning: profile ?? stored)
            }
        }
        waiting = []
    }
}
