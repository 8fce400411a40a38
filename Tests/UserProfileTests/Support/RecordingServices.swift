import AtriumKit
import AtriumTesting

@testable import UserProfile

/// The services and the analytics of a repository, which write each call and the session at that moment to
/// one log, and fail where they are told to.
struct RecordingServices: UserProfileService, AuthenticationService, NotificationService, Analytics {
    let log = CallLog()
    /// The time of the repository.
    let clock = FixedClock()
    /// What was submitted, and for which account.
    let submitted = CallLog()
    let session: SessionWriter
    var isAuthenticated = true
    var receipt = SubmissionReceipt.accepted(ProfileVersion(number: 2))
    var stored: Profile?
    /// Whose profile is stored; everybody's where nil.
    var owner: String?
    /// What happens during which call.
    var meanwhile: (call: String, happens: @MainActor @Sendable () -> Void)?
    /// Which call waits, and for what.
    var pause: (call: String, wait: @Sendable () async throws -> Void)?
    /// Which call fails, and how.
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
    /// A profile that breaks no rule.
    static let ada = Profile(firstName: "Ada", lastName: "Lovelace", age: 36, bio: nil)
}
