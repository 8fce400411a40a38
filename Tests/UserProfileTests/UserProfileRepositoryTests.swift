import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@MainActor
@Suite("User profile repository")
struct UserProfileRepositoryTests {
    private let session = TestSession(.ada)

    private var services: RecordingServices { RecordingServices(session: session) }

    @Test(
        "A submission authenticates, submits, notifies, updates the session and tracks, in this order"
    )
    func order() async throws {
        let services = services

        try await UserProfileRepository(services).submit(.ada, ofAccount: "mock-ada")

        #expect(
            services.log.all == [
                "authenticate as nobody", "submit as nobody", "notify as nobody",
                "profileSubmitted as Ada Lovelace",
            ])
        #expect(session.writer.user?.displayName == "Ada Lovelace")
        #expect(session.writer.user?.email == "ada@example.com")
    }

    @Test(
        "A failed step skips all later steps",
        arguments: [
            ("authenticate", ["authenticate as nobody"]),
            ("submit", ["authenticate as nobody", "submit as nobody"]),
            ("notify", ["authenticate as nobody", "submit as nobody", "notify as nobody"]),
        ])
    func failures(_ call: String, _ calls: [String]) async {
        for error in [ServiceError.profiles as any Error, CancellationError()] {
            var services = services
            services.failure = (call, error)

            await #expect(throws: (any Error).self) {
                try await UserProfileRepository(services).submit(.ada, ofAccount: "mock-ada")
            }

            #expect(services.log.all == calls)
            #expect(session.writer.user == .ada)
        }
    }

    @Test(
        "A guest is refused with a hint to sign in, even if the profile is invalid",
        arguments: [Profile.ada, Profile()])
    func guest(_ profile: Profile) async {
        let services = RecordingServices(session: TestSession())

        let error = await #expect(throws: ServiceError.self) {
            try await UserProfileRepository(services).submit(profile, ofAccount: "mock-ada")
        }

        #expect(error?.code == "notAuthenticated")
        #expect(error?.message == "You are not signed in.")
        #expect(error?.hint == "session sign-in --email EMAIL")
        #expect(services.log.all == ["authenticate as nobody"])
    }

    @Test("A profile for another account is refused, and nothing is submitted")
    func anotherAccount() async {
        let services = services

        let error = await #expect(throws: ServiceError.self) {
            try await UserProfileRepository(services).submit(.ada, ofAccount: "bob")
        }

        #expect(error?.code == "anotherAccount")
        #expect(
            error?.message
                == "The form belongs to another account than the signed-in one; nothing was submitted.")
        #expect(error?.hint == "profile/edit")
        #expect(services.log.all == ["authenticate as nobody"])
        #expect(session.writer.user == .ada)
    }

    @Test("A session that the service rejects counts as not signed in")
    func disbelieved() async {
        var services = services
        services.isAuthenticated = false

        await #expect(throws: ServiceError.notAuthenticated) {
            try await UserProfileRepository(services).submit(.ada, ofAccount: "mock-ada")
        }
        await #expect(throws: ServiceError.notAuthenticated) {
            _ = try await UserProfileRepository(services).profile()
        }
        await #expect(throws: ServiceError.notAuthenticated) {
            _ = try await UserProfileRepository(services).notifications(limit: 1)
        }
    }

    @Test(
        "All rules are checked together before anything is submitted",
        arguments: [
            (Profile(firstName: "", lastName: "Lovelace", age: 36), "The first name is empty.", "validation"),
            (Profile(firstName: "Ada", lastName: "", age: 36), "The last name is empty.", "validation"),
            (Profile(firstName: "Ada", lastName: "Lovelace"), "The age is missing.", "validation"),
            (
                Profile(firstName: "Ada", lastName: "Lovelace", age: 17),
                "The age must be at least 18, not 17.",
                "minimumAgeRequired"
            ),
            (
                Profile(firstName: "", lastName: "", age: 17),
                "The first name is empty. The last name is empty. The age must be at least 18, not 17.",
                "validation"
            ),
            (
                Profile(firstName: "", lastName: "", age: -1),
                "The first name is empty. The last name is empty. The age must be at least 0, not -1.",
                "validation"
            ),
        ])
    func rules(_ profile: Profile, _ message: String, _ code: String) async {
        let services = services

        let error = await #expect(throws: (any Error).self) {
            try await UserProfileRepository(services).submit(profile, ofAccount: "mock-ada")
        }

        let explained = error as? any ExplainedError
        #expect(explained?.message == message)
        #expect(explained?.code.rawValue == code)
        #expect(explained?.category == .validation)
        #expect(services.log.all == ["authenticate as nobody"])
    }

    /// The reasons for refusing a profile, each with its own typed error.
    private enum Refusal: String, CaseIterable, Sendable {
        case firstName, lastName, age, minimumAge, authentication, submission

        var profile: Profile {
            switch self {
            case .firstName: Profile(firstName: " ", lastName: "Lovelace", age: 36)
            case .lastName: Profile(firstName: "Ada", lastName: "", age: 36)
            case .age: Profile(firstName: "Ada", lastName: "Lovelace")
            case .minimumAge: Profile(firstName: "Ada", lastName: "Lovelace", age: 17)
            case .authentication, .submission: .ada
            }
        }

        /// Whether an error is the one for this reason.
        func isCause(of error: any Error) -> Bool {
            let fields = (error as? ValidationError)?.findings.map(\.field)
            return switch self {
            case .firstName: fields == ["firstName"]
            case .lastName: fields == ["lastName"]
            case .age: fields == ["age"]
            case .minimumAge: (error as? ServiceError)?.code == .minimumAgeRequired
            case .authentication: error as? ServiceError == .notAuthenticated
            case .submission: (error as? ServiceError)?.code == .submissionFailed
            }
        }
    }

    @Test(
        "Each of the six reasons is a typed error and skips all later steps", arguments: Refusal.allCases)
    private func typedErrors(_ refusal: Refusal) async {
        var services = services
        services.isAuthenticated = refusal != .authentication
        if refusal == .submission { services.receipt = .refused(nil) }

        let error = await #expect(throws: (any Error).self) {
            try await UserProfileRepository(services).submit(refusal.profile, ofAccount: "mock-ada")
        }

        #expect(error.map(refusal.isCause) == true)
        #expect(services.submitted.all.count == (refusal == .submission ? 1 : 0))
        #expect(!services.log.all.contains { $0.hasPrefix("notify") || $0.hasPrefix("profileSubmitted") })
        #expect(session.writer.user == .ada)
    }

    @Test("The minimum age is 18")
    func minimumAge() async throws {
        try await UserProfileRepository(services).submit(
            Profile(firstName: "Ada", lastName: "Lovelace", age: 18), ofAccount: "mock-ada")
    }

    @Test("The error for a refused profile contains the reason")
    func refused() async {
        var services = services
        services.receipt = .refused("The name is reserved.")

        let error = await #expect(throws: ServiceError.self) {
            try await UserProfileRepository(services).submit(.ada, ofAccount: "mock-ada")
        }

        #expect(error?.code == "submissionFailed")
        #expect(error?.message == "The profile was not accepted: The name is reserved.")
        #expect(services.log.all == ["authenticate as nobody", "submit as nobody"])
    }

    @Test("If only the notification fails, the error says that the profile was stored")
    func notificationFailed() async {
        var services = services
        services.failure = ("notify", ServiceError.notifications)

        let error = await #expect(throws: ServiceError.self) {
            try await UserProfileRepository(services).submit(.ada, ofAccount: "mock-ada")
        }

        #expect(error?.code == "notificationFailed")
        #expect(error?.message == "The profile was stored, but its notification could not be sent.")
        #expect(error?.cause as? ServiceError == .notifications)
    }

    @Test("Reading a profile sets the display name of the session")
    func reading() async throws {
        var services = services
        services.stored = .ada

        let own = try await UserProfileRepository(services).profile()

        #expect(own.user == .ada)
        #expect(own.profile == .ada)
        #expect(session.writer.user?.displayName == "Ada Lovelace")
        #expect(services.log.all == ["authenticate as nobody", "read as nobody"])
    }

    @Test("Without a profile, the session stays unchanged")
    func readingNothing() async throws {
        let own = try await UserProfileRepository(services).profile()

        #expect(own.profile == nil)
        #expect(session.writer.user == .ada)
    }

    @Test(
        "If the session changes while it is checked, the user counts as not signed in",
        arguments: [nil, SessionUser.bob])
    func anotherSessionMeanwhile(_ user: SessionUser?) async {
        let services = ChangingSession(session: session, user: user)
        let repository = UserProfileRepository(
            profiles: MockUserProfileService(.test()), authentication: services,
            notifications: MockNotificationService(.test(), clock: FixedClock()), offline: OfflineStore.none,
            session: session.writer, clock: FixedClock(), analytics: RecordingAnalytics())

        await #expect(throws: ServiceError.notAuthenticated) { _ = try await repository.profile() }
    }
}

/// Authenticates a session but replaces it during the call.
private struct ChangingSession: AuthenticationService {
    let session: TestSession
    let user: SessionUser?

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        await MainActor.run {
            session.writer.signOut()
            guard let user, let credential else { return }
            session.writer.signIn(
                user, credential: SessionCredential(token: "other-token", expiresAt: credential.expiresAt))
        }
        return true
    }
}
