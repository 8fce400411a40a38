@_spi(Host) package import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage

extension ModuleRuntime {
    /// Builds all registrations of the active modules once, in a sandbox in environment mock.
    ///
    /// No module's database, log or analytics is touched, and the session is separate.
    ///
    /// - Parameters:
    ///   - screens: The screens to build.
    ///   - folder: A folder for the modules' own files; nil for none.
    /// - Returns: The findings, the skipped registrations, and the whole graph.
    /// - Throws: `CancellationError` only.
    package func verify(
        _ screens: [ScreenRegistration], files folder: String? = nil
    ) async throws -> VerificationReport {
        try container.verify(screens: screens) { Self.infrastructure(of: $0, files: folder) }
    }

    /// Builds the screens in a sandbox in environment mock, and passes each view to `body`.
    package func withViewsInSandbox(_ screens: [ScreenRegistration], _ body: (any View) -> Void) {
        container.withViewsInSandbox(screens, infrastructure: { Self.infrastructure(of: $0) }, body)
    }

    /// A container with all registrations, separate mock services that never wait, and modules' own files in
    /// a folder, if there is one; the caller must close it.
    ///
    /// With `isEmpty`, mocks that can begin without data do.
    package func sandbox(
        session: SessionManager, files folder: String?, isEmpty: Bool = false
    ) -> (container: Container, mocks: MockDirector) {
        let mocks = MockDirector(clock: SystemClock(), isEmpty: isEmpty, sleep: { _ in })
        let sandbox = container.sandbox(session: session) {
            Self.infrastructure(of: $0, mocks: mocks, files: folder)
        }
        return (sandbox, mocks)
    }

    static func infrastructure(
        of scope: ModuleScope, mocks: MockDirector? = nil, files folder: String? = nil
    ) -> ModuleScope.Infrastructure {
        let own = folder.map { "\($0)/files-\(scope.name)" }
        return ModuleScope.Infrastructure(
            database: AbsentDatabase(error: ModuleError.databaseWhileVerified),
            clock: scope.infrastructure.clock,
            logger: Logger(module: scope.name, sink: Discarding()), analytics: Discarding(),
            configuration: scope.infrastructure.configuration, mocks: mocks,
            makeDataFolder: {
                guard let own else { throw ServiceError.noDataFolder }
                return try Folder.make(own)
            }, ids: .fixed())
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

/// Stands in for a database that a module may not use: every use fails with the error.
struct AbsentDatabase: Database {
    let error: any Error

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw error
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        throw error
    }
}

/// Discards everything.
private struct Discarding: LogSink, Analytics {
    let level = LogLevel.error

    func log(_ level: LogLevel, module: String, message: String) {}
    func track(_ event: AnalyticsEvent) {}
}
