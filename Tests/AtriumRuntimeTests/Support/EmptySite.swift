@_spi(Host) import AtriumKit

@testable import AtriumLibraries
@testable import AtriumModules

/// A site without infrastructure, which records the registered screens.
final class EmptySite: ModuleSite {
    let container = Container(environment: .mock)
    private(set) var screens: [ScreenRegistration] = []

    func infrastructure(
        for module: String, migrations: [Migration], configuration: Configuration
    ) -> ModuleScope.Infrastructure { .none }

    func check(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) throws {
        let present = self.screens.filter { !modules.contains($0.module) }
        var patterns = Set(present.map(\.pattern.description))
        for screen in screens where !patterns.insert(screen.pattern.description).inserted {
            throw ModuleError(.alreadyThere, "There are two screens '\(screen.pattern)'.")
        }
    }

    func exchange(_ screens: [ScreenRegistration], replacingThoseOf modules: Set<String>) {
        self.screens.removeAll { modules.contains($0.module) }
        self.screens += screens
    }
}

extension ModuleScope.Infrastructure {
    /// Infrastructure that does nothing.
    @MainActor static var none: ModuleScope.Infrastructure {
        let nothing = Nothing()
        return ModuleScope.Infrastructure(
            database: nothing, clock: nothing, logger: Logger(module: "Carrier", sink: nothing),
            analytics: nothing, configuration: Configuration([:]))
    }

    private struct Nothing: Database, LogSink, Analytics, WallClock {
        let level = LogLevel.error

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
        ) async throws -> Value { throw ModuleError.databaseWhileVerified }

        func write<Value: Sendable>(
            _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
        ) async throws -> Value { throw ModuleError.databaseWhileVerified }

        func log(_ level: LogLevel, module: String, message: String) {}
        func track(_ event: AnalyticsEvent) {}
        func now() -> Timestamp { Timestamp(microseconds: 0) }
    }
}
