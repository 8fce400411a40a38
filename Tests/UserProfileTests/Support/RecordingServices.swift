import AtriumKit
import AtriumTesting

@testable import UserProfile

/// The services and analytics of a repository, for tests.
///
/// They record each call, with the display name of the session, in one log, and fail if the test says so.
struct RecordingServices: UserProfileService, AuthenticationService, NotificationService, Analytics {
    let log = CallLog()
    /// The clock of the repository.
    let clock = FixedClock()
    /// The submitted profiles with their accounts.
    let submitted = CallLog()
    let session: SessionWriter
    var isAuthenticated = true
    var receipt = SubmissionReceipt.accepted(ProfileVersion(number: 2))
    var stored: Profile?
    /// The account whose profile is stored; every account if nil.
    var owner: String?
    /// A closure to run during a call.
    var meanwhile: (call: String, happens: @MainActor @Sendable () -> Void)?
    /// A call that waits for a closure.
    var pause: (call: String, wait: @Sendable () async throws -> Void)?
    /// A call that throws an error.
    var failure: (call: String, error: any Error)?

    init(session: SessionWriter) {
        self.session = session
    }

    @MainActor init(session: TestSession) {
        self.init(session: session.writer)
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        try await note("authenticate")
        return isAuthenticated && credential != nil
    }

    func profile(ofAccount account: String) async throws -> StoredProfile? {
        try await note("read")
        guard owner == nil || owner == account else { return nil }
        return stored.map { StoredProfile(profile: $0, version: ProfileVersion(number: 1)) }
    }

    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        try await note("submit")
        let age = profile.age.map(String.init) ?? "no age"
        submitted.add("\(account): \(profile.fullName), \(age), \(profile.bio ?? "no bio")")
        return receipt
    }

    func send(_ kind: NotificationKind, toAccount account: String) async throws {
        try await note("notify")
    }

    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification] {
        try await note("notifications")
        return []
    }

    func track(_ event: AnalyticsEvent) {
        let name = MainActor.assumeIsolated { session.user?.displayName }
        log.add("\(event.name) as \(name ?? "nobody")")
    }

    private func note(_ call: String) async throws {
        let name = await session.user?.displayName
        log.add("\(call) as \(name ?? "nobody")")
        if let meanwhile, meanwhile.call == call { await meanwhile.happens() }
        if let pause, pause.call == call { try await pause.wait() }
        if let failure, failure.call == call { throw failure.error }
    }
}

extension UserProfileRepository {
    convenience init(_ services: RecordingServices) {
        self.init(
            profiles: services, authentication: services, notifications: services, offline: OfflineStore.none,
            session: services.session, clock: services.clock, analytics: services)
    }
}

extension SessionUser {
    /// The account of Ada in tests, known to the mock services.
    static let ada = SessionUser(id: "mock-ada", email: "ada@example.com")
    /// An account without a profile.
    static let bob = SessionUser(id: "bob", email: "bob@example.com")
}

extension Profile {
    /// A valid profile.
    static let ada = Profile(firstName: "Ada", lastName: "Lovelace", age: 36, bio: nil)
}
