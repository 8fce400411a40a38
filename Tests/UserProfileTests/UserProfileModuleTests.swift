@_spi(Host) import AtriumKit
import AtriumTesting
import TestSupport
import Testing

@testable import UserProfile

@MainActor
@Suite("User profile module")
struct UserProfileModuleTests {
    @Test(
        "Every screen can be built in every environment that there is", arguments: [Environment.mock, .local])
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
        let patterns = ["profile", "profile/edit", "profile/notifications"]
        #expect(registry.screens.map(\.pattern.description) == patterns)
        for screen in registry.screens {
            let link = try Link(screen.pattern.description)
            let destination = try #require(try screen.destination(link))
            let built = try screen.build(destination, in: container, navigator: StationaryNavigator())
            #expect(built.viewModels.count == 1)
        }
    }
}
