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

    private var repository: UserDirectoryRepository {
        UserDirectoryRepository(
            directory: MockUserDirectoryService(behavior: behavior),
            profiles: MockUserProfileService(.test()),
            offline: OfflineStore.none, session: session.writer, clock: clock)
    }

    private var find: any FindUsers { FindUsersInDirectory(directory: repository) }

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
        let page = try await find(UserFilter(search: search, status: status), sort: .name, page: 1).value

        #expect(page.rows.map { String($0.name.prefix { $0.isLetter }) } == names)
        #expect(page.total == names.count)
    }

    @Test("Without a filter, every user is found")
    func noFilter() async throws {
        #expect(try await find(nil, sort: .name, page: 1).value.total == MockDirectoryData.usual.count)
    }

    @Test("Users are sorted by name, ignoring case, then by id")
    func sorting() async throws {
        behavior.scenario = MockScenario(.edge)

        let ids = try await find(nil, sort: .name, page: 1).value.rows.map(\.id)
        let reversed = try await find(nil, sort: .nameDescending, page: 1).value.rows.map(\.id)

        #expect(ids.prefix(2) == ["mock-edge-4", "mock-edge-5"])
        #expect(reversed == ids.reversed())
    }

    @Test("Pages have no gaps, and a page past the end is empty")
    func pages() {
        let users = (0..<45).map {
            DirectoryUser(id: "\($0)", email: nil, displayName: "Name \($0 + 100)", status: .active)
        }.shuffled()

        let pages = (1...4).map { UserQuery(page: $0).page(of: users) }

        #expect(pages.map(\.rows.count) == [20, 20, 5, 0])
        #expect(pages.map(\.hasMore) == [true, true, false, false])
        #expect(pages.flatMap(\.rows).map(\.name) == (100..<145).map { "Name \($0)" })
    }

    @Test(
        "An invalid query does not reach the service",
        arguments: [
            (
                String(repeating: "x", count: 201), 1,
                "The search text may have at most 200 characters, not 201."
            ),
            ("a\u{1F}b", 1, "The search text must not contain control characters."),
            ("a", 0, "The page must be from 1 to 1000000000, not 0."),
        ])
    func badQuery(_ search: String, _ page: Int, _ message: String) async {
        let error = await #expect(throws: ServiceError.self) {
            _ = try await find(UserFilter(search: search), sort: .name, page: page)
        }

        #expect(error == .badQuery([message]))
        #expect(behavior.calls.isEmpty)
    }

    @Test(
        "A guest and an expired session are refused without a call to a service", arguments: [true, false])
    func guest(_ isGuest: Bool) async {
        if isGuest { session.writer.signOut() } else { clock.advance(seconds: 86_400) }
        let repository = repository

        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository.users(UserQuery())
        }
        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository.person("mock-ada")
        }
        await #expect(throws: ServiceError.notAuthenticated) {
            try await repository.profiles(of: ["mock-ada"])
        }
        #expect(behavior.calls.isEmpty)
    }

    // MARK: - List

    private func list(
        _ destination: UserListDestination = UserListDestination(), find: (any FindUsers)? = nil
    ) -> UserListViewModel {
        UserListViewModel(
            destination: destination, find: find ?? self.find, directory: repository, session: session.state)
    }

    @Test("The list shows a page and its query")
    func view() async throws {
        let view = UserListView(viewModel: list(UserListDestination(search: "an", status: .active)))

        try await view.load()

        #expect(
            JSONValue.object(view.body.json).serialized == """
                {"title":"Users","rows":[{"id":"mock-hannah","name":"Hannah Fry",\
                "email":"hannah@example.com","status":"active"}],"page":1,"total":1,"hasMore":false,\
                "sort":"name","search":"an","status":"active"}
                """)
        #expect(
            try view.viewModel.shownDestination?.link().description == "users?search=an&status=active")
    }

    @Test("An empty list shows a notice")
    func empty() async throws {
        let viewModel = list(UserListDestination(search: "nobody"))
        try await viewModel.load()

        #expect(
            JSONValue.object(UserListView(viewModel: viewModel).body.json).serialized
                .contains("No user matches."))
    }

    @Test("Past the end, the list names its last page, and 'previous' shows that")
    func pastEnd() async throws {
        let viewModel = list(UserListDestination(sort: .nameDescending, page: 5))
        try await viewModel.load()

        let json = JSONValue.object(UserListView(viewModel: viewModel).body.json).serialized
        #expect(
            json.contains(#""text":"The list ends with page 1.","hint":"users?sort=-name""#))
        _ = try await viewModel.previous()
        #expect(viewModel.query.page == 1)
        #expect(viewModel.rows.count == 6)
    }

    @Test("The view model works with any implementation of the use case")
    func injected() async throws {
        let stub = StubFindUsers(pages: 3)
        let viewModel = list(find: stub)

        try await viewModel.load()
        _ = try await viewModel.next()
        _ = try await viewModel.next()

        #expect(viewModel.rows.map(\.id) == ["page 3"])
        #expect(stub.asked == ["all name 1", "all name 2", "all name 3"])
        let error = await #expect(throws: ServiceError.self) { try await viewModel.next() }
        #expect(error == .noPage("after", 3))
        _ = try await viewModel.previous()
        #expect(viewModel.query.page == 2)
    }

    @Test("A failed reload keeps the listed users")
    func failure() async throws {
        let viewModel = list()
        behavior.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.directory) { try await viewModel.load() }
        #expect(viewModel.state.failure?.message == "The user directory does not answer.")

        behavior.scenario = MockScenario(.success)
        try await viewModel.load()
        behavior.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.directory) { try await viewModel.load() }

        #expect(viewModel.rows.count == 6)
    }

    @Test("Listed users are hidden after a change of user until the list is reloaded")
    func anotherPerson() async throws {
        let viewModel = list()
        try await viewModel.load()

        session.writer.signIn(.bob, credential: try #require(session.writer.credential))

        #expect(viewModel.rows.isEmpty)
        #expect(viewModel.isOutdated)
        try await viewModel.load()
        #expect(viewModel.rows.count == 6)
    }

    // MARK: - Several profiles

    @Test("Several profiles are listed in the order of the request")
    func profiles() async throws {
        let rows = try await list().profiles(of: ["mock-grace,nobody", "mock-ada"])

        #expect(rows.map(\.id) == ["mock-grace", "nobody", "mock-ada"])
        #expect(rows.map(\.name) == ["Grace Hopper", nil, "Ada Lovelace"])
        #expect(rows.map(\.outcome) == ["found", "none", "found"])
    }

    @Test("A profile that can't be read is reported in its own row")
    func partialFailure() async throws {
        let profiles = MockBehavior.test()
        let repository = UserDirectoryRepository(
            directory: MockUserDirectoryService(behavior: behavior),
            profiles: MockUserProfileService(profiles),
            offline: OfflineStore.none, session: session.writer, clock: clock)
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
        #expect(viewModel.title == "Hannah Fry")
    }

    @Test("An unknown user is an error")
    func unknownPerson() async throws {
        let viewModel = UserViewModel(id: "x", directory: repository, session: session.state)

        let error = await #expect(throws: ServiceError.self) { try await viewModel.load() }

        #expect(error == .notFound("x"))
        #expect(viewModel.person == nil)
    }
}

/// Returns one user per page and records its calls.
@MainActor
private final class StubFindUsers: FindUsers {
    private let pages: Int
    private(set) var asked: [String] = []

    init(pages: Int) {
        self.pages = pages
    }

    func callAsFunction(_ filter: UserFilter?, sort: UserSort, page: Int) async throws -> Stale<UserPage> {
        asked.append("\(filter == .all ? "all" : "some") \(sort.rawValue) \(page)")
        let user = DirectoryUser(id: "page \(page)", email: nil, displayName: nil, status: .active)
        return Stale(UserPage(rows: [user], total: pages, page: page, size: 1))
    }
}
