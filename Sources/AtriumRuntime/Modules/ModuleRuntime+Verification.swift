@_spi(Host) package import AtriumKit

extension ModuleRuntime {
    /// Builds everything that the active modules register once, in environment mock and aside.
    ///
    /// No module's database, log or analytics is touched, and the session is one of its own.
    ///
    /// - Parameter screens: The screens to begin with.
    /// - Returns: What is wrong, what was left out, and the whole graph.
    package func verify(_ screens: [ScreenRegistration]) async -> VerificationReport {
        await container.verify(screens: screens) { scope in
            ModuleScope.Infrastructure(
                database: AbsentDatabase(), clock: scope.infrastructure.clock,
                logger: Logger(module: scope.name, sink: Discarding()), analytics: Discarding(),
                configuration: scope.infrastructure.configuration)
        }
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
