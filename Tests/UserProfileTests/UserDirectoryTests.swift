@_spi(Host) import AtriumKit
import AtriumTesting
import Testing

@testable import UserProfile

@MainActor
@Suite("User directory")
struct UserDirectoryTests {
    private let session = TestSession(.ada)
    private let clock = FixedClock()
    private let behavior = MockBehavior.test()

    private var service: TestDirectory { TestDirectory(behavior: behavior) }

    private var repository: UserDirectoryRepository {
        UserDirectoryRepository(
            directory: service, profiles: MockUserProfileService(.test()), offline: .none,
            session: session.writer, clock: clock)
    }

    private var find: any FindUsers { find(in: service) }

    private func find(in service: any RecordService<DirectoryUser>) -> any FindUsers {
        FindUsersInDirectory(directory: RecordRepository(service: service, clock: clock))
    }

    // MARK: - Use case

    @Test(
        "A user must match both search and status; a filter that is not given matches everyone",
        arguments: [
            (nil, nil, ["Ada", "Alan", "Grace", "Hannah", "konrad", "mohamed"]),
            (nil, .active, ["Ada", "Grace", "Hannah", "mohamed"]),
            (nil, .inactive, ["Alan", "konrad"]),
            ("AN", nil, ["Alan", "Hannah"]), ("an", .active, ["Hannah"]), ("an", .inactive, ["Alan"]),
            ("grace@", nil, ["Grace"]), ("grace@", .inactive, []), ("zuse", .active, []),
            ("example.com", .inactive, ["Alan", "konrad"]), ("nobody", nil, []),
            ("lovelace ada@", nil, []), (" ", nil, ["Ada", "Alan", "Grace", "Hannah", "konrad", "mohamed"]),
        ] as [(String?, UserStatus?, [String])])
    func truthTable(_ search: String?, _ status: UserStatus?, _ names: [String]) async throws {
        let found = try await find(search, status: status)

        #expect(found.map { String($0.name.prefix { $0.isLetter }) } == names)
    }

    @Test("Without a filter, every user is found")
    func noFilter() async throws {
        #expect(try await find(nil, status: nil).count == DirectoryUser.samples.count)
    }

    @Test("Users are sorted by name, ignoring case, then by id")
    func sorting() async throws {
        let find = find(in: TestDirectory(users: DirectoryUser.edgeSamples))

        let found = try await find(nil, status: nil)

        #expect(found.map(\.id).prefix(2) == ["mock-edge-4", "mock-edge-5"])
    }

    @Test(
        "An invalid search does not reach the service",
        arguments: [
            (String(repeating: "x", count: 201), "The search text may have at most 200 characters, not 201."),
            ("a\u{1F}b", "The search text must not contain control characters."),
        ])
    func badQuery(_ search: String, _ message: String) async {
        let error = await #expect(throws: ValidationError.self) { try await find(search, status: nil) }

        #expect(error?.message == message)
        #expect(behavior.calls.isEmpty)
    }

    @Test(
        "A guest and an expired session are refused without a call to a service", arguments: [true, false])
    func guest(_ isGuest: Bool) async {
        if isGuest { session.writer.signOut() } else { clock.advance(seconds: 86_400) }
        let repository = repository

        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository.person("mock-ada")
        }
        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository.profiles(of: ["mock-ada"])
        }
        #expect(behavior.calls.isEmpty)
    }

    // MARK: - List

    private func list(_ container: TestContainer, _ query: String = "") throws -> any View {
        try container.view(at: "users\(query)")
    }

    private func json(_ view: any View) -> String { JSONValue.object(view.body.json).serialized }

    @Test("The list shows a page and its query, and has no action that changes users")
    func view() async throws {
        let container = try TestContainer(UserProfileModule.self, session: session)
        let view = try list(container, "?search=an&status=active")

        try await view.load()

        #expect(
            json(view).contains(
                """
                "rows":[{"id":"mock-hannah","name":"Hannah Fry","email":"hannah@example.com",\
                "status":"active"}],"page":1,
                """))
        #expect(
            view.actions.map(\.name) == [
                "list", "next", "previous", "jump", "more", "refresh", "export", "cache", "profiles",
            ])
    }

    @Test("Listed users are hidden after a change of user until the list is reloaded")
    func anotherPerson() async throws {
        let container = try TestContainer(UserProfileModule.self, session: session)
        let view = try list(container)
        try await view.load()
        #expect(json(view).contains("Grace"))

        session.writer.signIn(.bob, credential: try #require(session.writer.credential))

        #expect(!json(view).contains("Grace"))
        #expect(json(view).contains("Who is signed in has changed since this was loaded."))
        try await view.load()
        #expect(json(view).contains("Grace"))
    }

    // MARK: - Several profiles

    @Test("Several profiles are listed in the order of the request")
    func profiles() async throws {
        let rows = try await ProfilesViewModel(find: find, directory: repository)
            .profiles(of: ["mock-grace,nobody", "mock-ada"], search: nil, status: nil)

        #expect(rows.map(\.id) == ["mock-grace", "nobody", "mock-ada"])
        #expect(rows.map(\.name) == ["Grace Hopper", nil, "Ada Lovelace"])
        #expect(rows.map(\.outcome) == ["found", "none", "found"])
    }

    @Test("Without ids, the profiles of those are listed whom any implementation of the use case finds")
    func injected() async throws {
        let stub = StubFindUsers()

        let rows = try await ProfilesViewModel(find: stub, directory: repository)
            .profiles(of: [], search: "an", status: .active)

        #expect(rows.map(\.id) == ["mock-ada"])
        #expect(stub.asked == ["an active"])
    }

    @Test("A profile that can't be read is reported in its own row")
    func partialFailure() async throws {
        let profiles = MockBehavior.test()
        let repository = UserDirectoryRepository(
            directory: service, profiles: MockUserProfileService(profiles), offline: .none,
            session: session.writer, clock: clock)
        profiles.failNext(with: ServiceError.profiles)

        let lookups = try await repository.profiles(of: ["mock-ada"])
        let more = try await repository.profiles(of: ["mock-ada"])

        #expect(ProfileRow("mock-ada", lookups[0]).outcome == "serviceUnavailable")
        #expect(ProfileRow("mock-ada", lookups[0]).problem == "The profile service does not answer.")
        #expect(try more[0].get()?.firstName == "Ada")
    }

    @Test("A request for more than 200 profiles is refused")
    func tooMany() async {
        let ids = Array(repeating: "x", count: 201)

        let error = await #expect(throws: ServiceError.self) { try await repository.profiles(of: ids) }

        #expect(error == .tooMany(201, maximum: 200))
    }

    // MARK: - One user

    @Test("A user is shown with their profile, and hidden after a sign-out")
    func person() async throws {
        let view = UserView(
            viewModel: UserViewModel(id: "mock-ada", directory: repository, session: session.state))
        try await view.load()

        #expect(
            JSONValue.object(view.body.json).serialized == """
                {"title":"Ada Lovelace","id":"mock-ada","email":"ada@example.com","status":"active",\
                "firstName":"Ada","lastName":"Lovelace","age":36,\
                "bio":"Wrote the first program, for a machine that was not built."}
                """)

        session.writer.signOut()
        #expect(JSONValue.object(view.body.json).serialized.contains("Who is signed in has changed"))
        #expect(!JSONValue.object(view.body.json).serialized.contains("Lovelace"))
    }

    @Test("A user without a profile is shown without one")
    func withoutProfile() async throws {
        let viewModel = UserViewModel(id: "mock-hannah", directory: repository, session: session.state)

        try await viewModel.load()

        #expect(viewModel.person?.profile == nil)
        #expect(viewModel.person?.user.name == "Hannah Fry")
    }

    @Test("An unknown user is an error")
    func unknownPerson() async throws {
        let viewModel = UserViewModel(id: "x", directory: repository, session: session.state)

        let error = await #expect(throws: ServiceError.self) { try await viewModel.load() }

        #expect(error?.code == .notFound)
        #expect(viewModel.person == nil)
    }
}

/// Finds one user and records its calls.
@MainActor
private final class StubFindUsers: FindUsers {
    private(set) var asked: [String] = []

    func callAsFunction(_ search: String?, status: UserStatus?) async throws -> [DirectoryUser] {
        asked.append("\(search ?? "all") \(status?.rawValue ?? "any")")
        return [DirectoryUser(id: "mock-ada", name: "Ada")]
    }
}
