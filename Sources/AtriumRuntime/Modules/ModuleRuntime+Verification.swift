@_spi(Host) package import AtriumKit

extension ModuleRuntime {
    /// Builds everything that the active modules register once, in environment mock and aside.
    ///
    /// No module's database, log or analytics is touched, and the session is one of its own.
    ///
    /// - Parameter screens: The screens to begin with.
    /// - Returns: What is wrong, what was left out, and the whole graph.
    /// - Throws: `CancellationError` only.
    package func verify(_ screens: [ScreenRegistration]) async throws -> VerificationReport {
        try container.verify(screens: screens, infrastructure: Self.aside)
    }

    /// Builds the screens aside, in environment mock, and shows each view to `body`.
    package func withViewsInSandbox(_ screens: [ScreenRegistration], _ body: (any View) -> Void) {
        container.withViewsInSandbox(screens, infrastructure: Self.aside, body)
    }

    /// What modules get while they are only tried.
    private static func aside(_ scope: ModuleScope) -> ModuleScope.Infrastructure {
        ModuleScope.Infrastructure(
            database: AbsentDatabase(), clock: scope.infrastructure.clock,
            logger: Logger(module: scope.name, sink: Discarding()), analytics: Discarding(),
            configuration: scope.infrastructure.configuration)
    }
}

extension ModuleRuntime {
    /// The graph with all edges that building everything aside leaves; built again after a change only.
    ///
    /// - Throws: `CancellationError` only.
    package func wholeGraph(_ screens: [ScreenRegistration]) async throws -> DependencyGraph {
        let version = container.version
        if let known = knownGraph, known.version == version { return known.graph }
        let graph = try await verify(screens).graph
        knownGraph = (version, graph)
        return graph
    }
}

/// Stands where a module's database is while the container is verified.
private struct AbsentDatabase: Database {
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw ModuleError.databaseWhileVerified
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw ModuleError.databaseWhileVerified
    }
}

/// Keeps nothing.
private struct Discarding: LogSink, Analytics {
    let level = LogLevel.error

    func log(_ level: LogLevel, module: String, message: String) {}
    func track(_ event: AnalyticsEvent) {}
}
