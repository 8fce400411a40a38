import AtriumTesting
import TestSupport
import Testing

@_spi(Host) @testable import AtriumKit

private struct FolderService {
    let path: String
}

@Suite("A module's data folder")
@MainActor
struct DataFolderTests {
    private func folder(made: @escaping @Sendable () throws -> String) throws -> String {
        let container = Container(environment: .mock)
        let scope = ModuleScope(
            name: "Notes",
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration([:]), makeDataFolder: made))
        let registry = ModuleRegistry(scope: scope)
        registry.service(
            FolderService.self, live: .unavailable, local: { FolderService(path: try $0.dataFolder) }
        ) {
            FolderService(path: try $0.dataFolder)
        }
        try container.add(registry)
        let context = ActivationContext(container, for: scope)
        let path = try container.resolve(FolderService.self, .service).path
        #expect(try context.dataFolder == path)
        return path
    }

    @Test("Services and activation get the same data folder from the host")
    func path() throws {
        #expect(try folder { "/somewhere/Notes" } == "/somewhere/Notes")
    }

    @Test("If the data folder can't be created, resolving the service fails with that error")
    func failure() {
        let error = #expect(throws: ResolutionError.self) {
            _ = try folder { throw ServiceError.noDataFolder }
        }

        #expect(error?.message.contains("There is no folder for the module's files here.") == true)
    }
}
