import AtriumKit
import AtriumNetworking
import AtriumStorage
import AtriumTesting
import LiveTestSupport
import PostgreSQL
import TestSupport
import Testing

@testable import UserProfile

/// The implementations of each service.
enum Implementation: CaseIterable, Sendable {
    case mock, local, postgresql, live
}

/// The services of one implementation, for a user who has just signed up.
struct Services: Sendable {
    let profiles: any UserProfileService
    let notifications: any NotificationService
    let authentication: any AuthenticationService
    let directory: any RecordService<DirectoryUser>
    let account: String
    let credential: SessionCredential
    private var storage: TemporaryDatabase?

    /// Creates the services; live ones use `api`, or a new device of the shared server.
    init(_ implementation: Implementation, _ api: APIManager? = nil) async throws {
        let clock = SystemTime()
        let end = clock.now().adding(seconds: 600)
        switch implementation {
        case .mock:
            profiles = MockUserProfileService(.test())
            notifications = MockNotificationService(.test(), clock: clock)
            authentication = MockAuthenticationService(behavior: .test(), clock: clock)
            directory = TestDirectory()
            (account, credential) = ("me", SessionCredential(token: "t", expiresAt: end))
        case .local:
            let storage = TemporaryDatabase(owner: "UserProfile", migrations: ProfileQueries.migrations)
            profiles = LocalUserProfileService(database: storage.database, clock: clock)
            notifications = LocalNotificationService(database: storage.database, clock: clock)
            authentication = LocalAuthenticationService(clock: clock)
            directory = LocalUserDirectory(database: storage.database)
            (account, credential) = ("me", SessionCredential(token: "t", expiresAt: end))
            self.storage = storage
        case .postgresql:
            let database = try PostgreSQLEngine().database(
                of: unique("UserProfile"), migrations: ProfileQueries.migrations,
                at: try PostgreSQLServer.shared().url)
            profiles = LocalUserProfileService(database: database, clock: clock)
            notifications = LocalNotificationService(database: database, clock: clock)
            authentication = LocalAuthenticationService(clock: clock)
            directory = LocalUserDirectory(database: database)
            (account, credential) = ("me", SessionCredential(token: "t", expiresAt: end))
        case .live:
            let api = try api ?? LiveAPI.device(of: try LiveAPI.shared())
            account = try await Self.signUp(api)
            profiles = LiveUserProfileService(api: api)
            notifications = LiveNotificationService(api: api)
            authentication = LiveAuthenticationService(api: api, clock: clock)
            directory = LiveUserDirectory(api: api)
            credential = SessionCredential(token: try #require(await api.tokens).id, expiresAt: end)
        }
    }

    /// Signs a new user up and sets their tokens on the client.
    static func signUp(_ api: any APIClient) async throws -> String {
        let (email, password) = (unique("person") + "@example.com", "correct horse")
        let user = try await api.request(
            Endpoint<UserAnswer>(
                .post, "v1/users", body: .json(["email": email, "password": password]), access: .anonymous))
        try await api.use(try await api.obtainTokens(.password(username: email, password: password)))
        return user.id
    }
}

/// What every implementation promises; live is called over HTTP.
@Suite("Profile services contract", .timeLimit(.minutes(5)))
struct ServiceContractTests {
    @Test(
        "A profile is nil until it is submitted, then read back unchanged",
        arguments: Implementation.allCases)
    func profile(_ implementation: Implementation) async throws {
        let services = try await Services(implementation)
        #expect(try await services.profiles.profile(ofAccount: services.account) == nil)

        for profile in [Profile.ada] + MockProfileData.edge.values {
            _ = try await services.profiles.submit(profile, ofAccount: services.account)
            #expect(try await services.profiles.profile(ofAccount: services.account)?.profile == profile)
        }
    }

    @Test(
        "Changes lose the white space around them, line breaks and tabs too",
        arguments: Implementation.allCases)
    func trimming(_ implementation: Implementation) async throws {
        let services = try await Services(implementation)
        var draft = RecordDraft<Profile>()
        try draft.set([
            "firstName": "\tAda\r\n", "lastName": "\u{B}Lovelace\u{85}", "age": "36",
            "bio": "\r\none\n\ttwo\u{2029}",
        ])

        _ = try await services.profiles.submit(draft.value, ofAccount: services.account)

        #expect(
            try await services.profiles.profile(ofAccount: services.account)?.profile
                == Profile(firstName: "Ada", lastName: "Lovelace", age: 36, bio: "one\n\ttwo"))
    }

    @Test(
        "A submission must name the current version; any other is outdated",
        arguments: Implementation.allCases)
    func versions(_ implementation: Implementation) async throws {
        let services = try await Services(implementation)
        let (service, account) = (services.profiles, services.account)
        var other = Profile.ada
        other.lastName = "King"

        var receipts: [SubmissionReceipt] = []
        for version: ProfileVersion in [1, .none, .none, 2, 1, 1] {
            let isStored = receipts.contains(.accepted(1))
            receipts.append(
                try await service.submit(isStored ? other : .ada, ofAccount: account, replacing: version))
        }

        #expect(
            receipts == [.outdated, .accepted(1), .outdated, .outdated, .accepted(2), .outdated])
        #expect(
            try await service.profile(ofAccount: account) == StoredProfile(profile: other, version: 2))
    }

    @Test(
        "A batch of profiles is returned in the order of the request", arguments: Implementation.allCases)
    func batch(_ implementation: Implementation) async throws {
        let services = try await Services(implementation)
        _ = try await services.profiles.submit(.ada, ofAccount: services.account)
        let ids = (0..<20).map { $0.isMultiple(of: 3) ? services.account : "nobody\($0)" }

        let outcomes = try await services.profiles.profiles(ofAccounts: ids)

        #expect(try outcomes.map { try $0.get()?.profile } == ids.map { $0 == services.account ? .ada : nil })
        #expect(try await services.profiles.profiles(ofAccounts: []).isEmpty)
    }

    @Test("Notifications are listed newest first, up to the limit", arguments: Implementation.allCases)
    func notifications(_ implementation: Implementation) async throws {
        let services = try await Services(implementation)
        let (service, account) = (services.notifications, services.account)
        #expect(try await service.notifications(ofAccount: account, limit: 10).isEmpty)

        for _ in 0..<3 { try await service.send(.profileUpdated, toAccount: account) }

        let all = try await service.notifications(ofAccount: account, limit: 10)
        #expect(all.map(\.kind) == [.profileUpdated, .profileUpdated, .profileUpdated])
        #expect(all.map(\.id) == all.map(\.id).sorted(by: >))
        #expect(Set(all.map(\.id)).count == 3)
        #expect(all.map(\.createdAt) == all.map(\.createdAt).sorted(by: >))
        #expect(try await service.notifications(ofAccount: account, limit: 2) == Array(all.prefix(2)))
    }

    @Test("A session is authenticated unless it is missing or expired", arguments: Implementation.allCases)
    func authentication(_ implementation: Implementation) async throws {
        let services = try await Services(implementation)
        let expired = SessionCredential(token: services.credential.token, expiresAt: SystemTime().now())

        #expect(try await services.authentication.isAuthenticated(services.credential))
        #expect(try await !services.authentication.isAuthenticated(nil))
        #expect(try await !services.authentication.isAuthenticated(expired))
    }

    @Test(
        "A profile with a forbidden word is refused with a reason", arguments: [Implementation.mock, .live])
    func refused(_ implementation: Implementation) async throws {
        let services = try await Services(implementation)
        var profile = Profile.ada
        profile.bio = "Some Forbidden word"

        let receipt = try await services.profiles.submit(profile, ofAccount: services.account)

        #expect(receipt == .refused("The bio has a word that is not allowed."))
        #expect(try await services.profiles.profile(ofAccount: services.account) == nil)
    }

    @Test("The directory filters, sorts and pages like the model", arguments: Implementation.allCases)
    func directory(_ implementation: Implementation) async throws {
        let people = try await PeopledDirectory(implementation)
        let all = try await people.directory.page(RecordQuery(size: 500)).rows
        #expect(all.count >= 5)

        for search in [nil, "a", "AN", "ada", "love", "é", "ß", "zz", "@example", "e e", "Ü"] {
            for status in [nil, UserStatus.active, .inactive] {
                for (isDescending, page) in [(false, 1), (false, 2), (true, 1), (true, 3)] {
                    let query = RecordQuery(
                        search: search, status: status, isDescending: isDescending, page: page, size: 2)
                    #expect(try await people.directory.page(query) == query.page(of: all))
                }
            }
        }
    }

    @Test("A user is found by id; an unknown id is an error", arguments: Implementation.allCases)
    func user(_ implementation: Implementation) async throws {
        let people = try await PeopledDirectory(implementation)
        let first = try #require(try await people.directory.page(RecordQuery()).rows.first)

        #expect(try await people.directory.record(first.id) == first)
        let error = await #expect(throws: ServiceError.self) {
            try await people.directory.record("no such user")
        }
        #expect(error?.code == .notFound)
    }
}

/// The directory of one implementation with a few users, which keeps its server alive.
private struct PeopledDirectory {
    let directory: any RecordService<DirectoryUser>
    private let services: Services
    private let server: ReferenceServer?

    private static let names = [
        ("Ada", "Lovelace"), ("ada", "lovelace"), ("Émile", "Zola"), ("Groß", "Meier"), ("Über", "Mensch"),
        ("Hannah", "Fry"),
    ]

    /// Fills the directory by submitting profiles; the mock's directory has its own users.
    init(_ implementation: Implementation) async throws {
        server = implementation == .live ? try ReferenceServer() : nil
        let api = try server.map { try LiveAPI.device(of: $0) }
        var services = try await Services(implementation, api)
        for (index, name) in Self.names.enumerated() {
            if let api { services = try await Services(implementation, api) }
            _ = try await services.profiles.submit(
                Profile(firstName: name.0, lastName: name.1, age: 40),
                ofAccount: api == nil ? "account\(index)" : services.account)
        }
        self.services = services
        directory = services.directory
    }
}
