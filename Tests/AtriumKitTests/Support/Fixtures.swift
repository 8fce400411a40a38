import AtriumTesting

@_spi(Host) @testable import AtriumKit

/// A database that throws on every access.
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

/// Counts the runs of a factory.
@MainActor
final class Counter {
    private(set) var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

/// An error with a message and a hint.
struct ExplainedFailure: ExplainedError {
    let code: ErrorCode = "outOfPaper"
    let message = "The printer is out of paper."
    let hint: String? = "Add paper."
}

/// An error without a message.
struct PlainFailure: Error, Equatable {}

extension ModuleScope {
    static func named(
        _ name: String, version: String? = nil, generation: Int = 1, requires: Set<String> = [],
        uses: [String: String] = [:], configuration: [String: JSONValue] = [:]
    ) -> ModuleScope {
        ModuleScope(
            name: name, version: version, generation: generation, requires: requires,
            uses: uses.mapValues { accepted in { @Sendable in $0.hasPrefix(accepted) } },
            infrastructure: ModuleScope.Infrastructure(
                database: UnusedDatabase(), clock: FixedClock(), logger: RecordingLog().logger,
                analytics: RecordingAnalytics(), configuration: Configuration(configuration)))
    }
}

extension Container {
    /// Adds a module that registers with `register`.
    @discardableResult
    func add(
        module: String = "Catalog", generation: Int = 1, requires: Set<String> = [],
        configuration: [String: JSONValue] = [:], _ register: (ModuleRegistry) -> Void
    ) throws -> (scope: ModuleScope, registry: ModuleRegistry) {
        let scope = ModuleScope.named(
            module, generation: generation, requires: requires, configuration: configuration)
        let registry = ModuleRegistry(scope: scope)
        register(registry)
        try add(registry)
        return (scope, registry)
    }
}

extension Container {
    /// Resolves `type` for the host, or for a module if `scope` is given.
    func resolve<Value>(
        _ type: Value.Type, _ layer: Layer, named name: String? = nil, as scope: ModuleScope? = nil
    ) throws -> Value {
        let request = Request(container: self, scope: scope)
        switch layer {
        case .service: return try resolve(type, named: name, ServiceContext.self, for: request)
        case .repository: return try resolve(type, named: name, RepositoryContext.self, for: request)
        case .useCase: return try resolve(type, named: name, UseCaseContext.self, for: request)
        case .aggregateModel: return try resolve(type, named: name, AggregateModelContext.self, for: request)
        default: return try resolve(type, named: name, ViewModelContext.self, for: request)
        }
    }

    /// Resolves `type` with arguments, for the host.
    func resolve<Value, First, each Argument>(
        _ type: Value.Type, _ layer: Layer, _ first: First, _ argument: repeat each Argument
    ) throws -> Value {
        let request = Request(container: self, scope: nil)
        switch layer {
        case .useCase:
            return try resolve(type, UseCaseContext.self, for: request, first, repeat each argument)
        case .aggregateModel:
            return try resolve(type, AggregateModelContext.self, for: request, first, repeat each argument)
        default: return try resolve(type, ViewModelContext.self, for: request, first, repeat each argument)
        }
    }
}

extension ModuleRegistry {
    /// Returns the registry of a module that registers with `register`, for the test to add.
    static func of(
        _ module: String, generation: Int = 1, requires: Set<String> = [],
        _ register: (ModuleRegistry) -> Void
    ) -> ModuleRegistry {
        let registry = ModuleRegistry(
            scope: .named(module, generation: generation, requires: requires))
        register(registry)
        return registry
    }

    /// Registers a service that is the same in environments `mock` and `local`.
    func service<Service>(
        _ type: Service.Type, named name: String? = nil, lifetime: Lifetime = .shared,
        everywhere factory: @escaping @MainActor (borrowing ServiceContext) throws -> Service
    ) {
        service(type, named: name, lifetime: lifetime, live: .unavailable, local: factory, mock: factory)
    }
}

extension ScreenRegistration {
    /// Builds the screen with a navigator that does not move.
    func build(_ destination: any Destination, in container: Container) throws -> Screen {
        try build(destination, in: container, navigator: StationaryNavigator())
    }
}

extension Container {
    /// Runs `body`, which builds values for the stack entry.
    func inEntry<Value>(_ entry: EntryScope, _ body: () throws -> Value) rethrows -> Value {
        try building.forScreen(of: entry, body)
    }

    /// Resolves the contributions to `point`, for the host.
    func contributions<Element>(to point: ContributionPoint<Element>) throws -> [Contribution<Element>] {
        try contributions(to: point, for: Request(container: self, scope: nil))
    }
}

// Providers that the contexts of these layers don't offer to modules.

extension RepositoryContext {
    func serviceProvider<Service>() -> Provider<Service> {
        Provider(Service.self, named: nil, ServiceContext.self, core)
    }
}

extension ViewModelContext {
    func useCaseProvider<UseCase>() -> Provider<UseCase> {
        Provider(UseCase.self, named: nil, UseCaseContext.self, core)
    }
}
