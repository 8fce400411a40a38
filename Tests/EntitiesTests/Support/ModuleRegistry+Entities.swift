import AtriumTesting

@testable @_spi(Host) import AtriumKit
@testable import Entities

extension ModuleRegistry {
    /// The registrations of the module, without a database, because environment mock uses none.
    @MainActor
    static func entities() throws -> ModuleRegistry {
        let registry = ModuleRegistry(
            scope: ModuleScope(
                name: "Entities",
                infrastructure: .init(
                    database: NoDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                    analytics: RecordingAnalytics(), configuration: Configuration([:]))))
        EntitiesModule().register(in: registry)
        return registry
    }
}

/// A database that always fails.
struct NoDatabase: Database {
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw ServiceError.unavailable
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw ServiceError.unavailable
    }
}
