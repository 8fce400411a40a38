@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import UserProfile

@MainActor
@Suite("User profile module")
struct UserProfileModuleTests {
    @Test(
        "Every screen can be built in every environment",
        arguments: [Environment.mock, .local, .live])
    func screens(_ environment: Environment) throws {
        let scope = ModuleScope(
            name: "UserProfile",
            infrastructure: .init(
                database: TemporaryDatabase(owner: "UserProfile", migrations: UserProfileModule.migrations)
                    .database, clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:])))
        let registry = ModuleRegistry(scope: scope)
        let container = Container(environment: environment)

        try UserProfileModule().register(in: registry)
        try container.add(registry)

        #expect(registry.findings.isEmpty)
        let patterns = [
            "profile", "profile/edit", "profile/notifications", "users", "users/:id",
        ]
        #expect(registry.screens.map(\.pattern.description) == patterns)
        for screen in registry.screens {
            let link = try Link(screen.pattern.description)
            let destination = try #require(try screen.destination(link))
            let built = try screen.build(destination, in: container, navigator: StationaryNavigator())
            #expect(built.viewModels.count == (screen.pattern.description == "users" ? 2 : 1))
        }
    }

    @Test("Each mock can be controlled by the name of its service")
    func mocks() async throws {
        let container = try TestContainer(UserProfileModule.self, session: TestSession(.ada))
        let profile: ProfileViewModel = try container.viewModel()
        try await profile.load()
        let list = try container.viewModel(
            RecordListViewModel<DirectoryUser>.self, RecordListDestination<DirectoryUser>())
        try await list.load()

        #expect(list.list.rows.count == 6)
        #expect(container.mock("DirectoryUserService")?.calls.map(\.name) == ["page"])
        #expect(container.mock("AuthenticationService")?.calls.map(\.name) == ["isAuthenticated"])
        #expect(container.mock("UserProfileService")?.calls.map(\.name) == ["profile"])
        container.mock("UserProfileService")?.scenario = MockScenario(.error)
        await #expect(throws: ServiceError.profiles) { _ = try await profile.refresh() }
    }
}
