@_spi(Host) import AtriumKit
import AtriumTesting

/// A database that nothing here may reach.
struct UnusedDatabase: Database {
    struct Reached: Error {}

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw Reached()
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw Reached()
    }
}

/// A navigator that stays where it is.
final class StillNavigator: Navigator {
    func push(_ destination: any Destination) async throws {}
    func open(_ link: String) async throws {}
    func back() async throws {}
    func root() async throws {}
}

/// Counts how often a factory ran.
@MainActor
final class Counter {
    private(set) var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// A failure that explains itself.
struct ExplainedFailure: ExplainedError {
    let code: ErrorCode = "outOfPaper"
    let message = "The printer is out of paper."
    let hint: String? = "Add paper."
}

/// A failure that does not.
struct PlainFailure: Error, Equatable {}

extension ModuleScope {
    static func named(_ name: String, configuration: [String: JSONValue] = [:]) -> ModuleScope {
        ModuleScope(
            name: name,
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration(configuration)))
    }
}

extension Container {
    /// Adds a module that registers with `register`.
    @discardableResult
    func add(
        module: String = "Catalog", configuration: [String: JSONValue] = [:],
        _ register: (ModuleRegistry) -> Void
    ) throws -> (scope: ModuleScope, registry: ModuleRegistry) {
        let scope = ModuleScope.named(module, configuration: configuration)
        let registry = ModuleRegistry(scope: scope, environment: environment)
        register(registry)
        try add(registry)
        return (scope, registry)
    }
}
