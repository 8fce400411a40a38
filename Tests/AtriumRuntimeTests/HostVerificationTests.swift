@_spi(Host) import AtriumKit
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("Verifying the host's container")
@MainActor
struct HostVerificationTests {
    private struct Disk: Sendable {
        let database: any Database
    }

    private final class Pages {
        init(disk: Disk) {}
    }

    @Test("During verification services get no database, and their logs and events are discarded")
    func nothingIsTouched() async throws {
        let site = EmptySite()
        let runtime = ModuleRuntime(modules: [], searchPaths: [], storeFolder: "", site: site)
        let used = UsedInfrastructure()
        let scope = ModuleScope(
            name: "Archive",
            infrastructure: ModuleScope.Infrastructure(
                database: used, clock: used, logger: Logger(module: "Archive", sink: used), analytics: used,
                configuration: Configuration([:])))
        let registry = ModuleRegistry(scope: scope)
        let seen = Seen()
        registry.service(
            Disk.self, live: .unavailable, local: { Disk(database: $0.database) },
            mock: { context in
                context.logger.error("built")
                seen.database = context.database
                return Disk(database: context.database)
            })
        registry.repository(Pages.self) { context in
            context.analytics.track(AnalyticsEvent("built"))
            return Pages(disk: try context.service())
        }
        try site.container.add(registry)

        let report = try await runtime.verify([])

        #expect(report.findings.isEmpty && report.checked == 2)
        let database = try #require(seen.database)
        let error = await #expect(throws: ModuleError.self) { try await database.read { _ in () } }
        #expect(error?.code == .notAllowed)
        #expect(error?.message == "There is no database while the container is verified.")
        await #expect(throws: ModuleError.self) { try await database.write { _ in () } }
    }

    @MainActor
    private final class Seen {
        var database: (any Database)?
    }

    /// Fails the test if it is used.
    private struct UsedInfrastructure: Database, LogSink, Analytics, WallClock {
        let level = LogLevel.debug

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
        ) async throws -> Value {
            Issue.record("The database is read.")
            throw CancellationError()
        }

        func write<Value: Sendable>(
            _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
        ) async throws -> Value {
            Issue.record("The database is written.")
            throw CancellationError()
        }

        func log(_ level: LogLevel, module: String, message: String) { Issue.record("The log is written.") }
        func track(_ event: AnalyticsEvent) { Issue.record("An event is tracked.") }
        func now() -> Timestamp { Timestamp(microseconds: 0) }
    }
}
