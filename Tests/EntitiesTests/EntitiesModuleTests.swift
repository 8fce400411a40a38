import AtriumTesting
import TestSupport
import Testing

@testable @_spi(Host) import AtriumKit
@testable import Entities

@MainActor
@Suite("Entities module")
struct EntitiesModuleTests {
    @Test(
        "Every screen can be built and loaded in environments mock and local",
        arguments: [Environment.mock, .local])
    func screens(_ environment: Environment) async throws {
        let storage = TemporaryDatabase(owner: "Entities", migrations: EntitiesModule.migrations)
        let scope = ModuleScope(
            name: "Entities",
            infrastructure: .init(
                database: storage.database, clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:])))
        let registry = ModuleRegistry(scope: scope)
        let container = Container(environment: environment)

        EntitiesModule().register(in: registry)
        try container.add(registry)
        _ = try await LocalEntityService(database: storage.database, clock: FixedClock())
            .create(EntityDraft(name: "x"))

        #expect(registry.findings.isEmpty)
        #expect(
            registry.screens.map(\.pattern.description) == [
                "entities", "entities/:id", "entities/new", "entities/:id/edit", "entities/categories",
            ])
        let links = [
            "entities?sort=-name", "entities/1", "entities/new", "entities/1/edit",
            "entities/categories?sort=most-used&limit=3",
        ]
        for (screen, link) in zip(registry.screens, links) {
            let destination = try #require(try screen.destination(Link(link)))
            let built = try screen.build(destination, in: container, navigator: StationaryNavigator())
            try await built.view.load()
            #expect(built.viewModels.count == 1)
        }
    }
}
