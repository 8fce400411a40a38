@_spi(Host) package import AtriumKit

extension ModuleRuntime {
    /// Builds everything that the active modules register once, in a sandbox in environment mock.
    ///
    /// No module's database, log or analytics is touched, and the session is one of its own.
    ///
    /// - Parameter screens: The screens to build.
    /// - Returns: What is wrong, what was left out, and the whole graph.
    /// - Throws: `CancellationError` only.
    package func verify(_ screens: [ScreenRegistration]) async throws -> VerificationReport {
        try container.verify(screens: screens, infrastructure: Self.sandbox)
    }

    /// Builds the screens in a sandbox in environment mock, and passes each view to `body`.
    package func withViewsInSandbox(_ screens: [ScreenRegistration], _ body: (any View) -> Void) {
        container.withViewsInSandbox(screens, infrastructure: Self.sandbox, body)
    }

    /// A container with everything that is registered, over mock services of its own, which never wait; it is to be
    /// closed.
    package func sandbox(session: SessionManager) -> (container: Container, mocks: MockDirector) {
        let mocks = MockDirector(clock: SystemClock(), sleep: { _ in })
        let sandbox = container.sandbox(session: session) { Self.infrastructure(of: $0, mocks) }
        return (sandbox, mocks)
    }

    private static func sandbox(_ scope: ModuleScope) -> ModuleScope.Infrastructure {
        infrastructure(of: scope, nil)
    }

    /// The infrastructure of modules in a sandbox.
    private static func infrastructure(
        of scope: ModuleScope, _ mocks: MockDirector?
    ) -> ModuleScope.Infrastructure {
        ModuleScope.Infrastructure(
            database: AbsentDatabase(), clock: scope.infrastructure.clock,
            logger: Logger(module: scope.name, sink: Discarding()), analytics: Discarding(),
            configuration: scope.infrastructure.configuration, mocks: mocks)
    }

    /// The graph with all edges, from building everything in a sandbox; built again only after a change.
    ///
    /// - Throws: `CancellationError` only.
    package func wholeGraph(_ screens: [ScreenRegistration]) async throws -> DependencyGraph {
        let version = container.version
        if let cachedGraph, cachedGraph.version == version { return cachedGraph.graph }
        let graph = try await verify(screens).graph
        cachedGraph = (version, graph)
        return graph
    }
}

/// A module's database while the container is verified.
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

/// Discards everything.
private struct Discarding: LogSink, Analytics {
    let level = LogLevel.error

    func log(_ level: LogLevel, module: String, message: String) {}
    func track(_ event: AnalyticsEvent) {}
}
