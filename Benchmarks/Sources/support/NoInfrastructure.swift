@_spi(Host) package import AtriumKit

/// Infrastructure for modules that use none.
///
/// Not a static member: in an extension of AtriumKit's types, 'package' means AtriumKit's package.
package var noInfrastructure: ModuleScope.Infrastructure {
    ModuleScope.Infrastructure(
        database: Nothing(), clock: Nothing(), logger: Logger(module: "Nothing", sink: Nothing()),
        analytics: Nothing(), configuration: Configuration([:]))
}

private struct Nothing: Database, WallClock, LogSink, Analytics {
    let level = LogLevel.error

    func log(_ level: LogLevel, module: String, message: String) {}
    func track(_ event: AnalyticsEvent) {}
    func now() -> Timestamp { Timestamp(microseconds: 0) }

    nonisolated(nonsending) func read<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        preconditionFailure("There is no database.")
    }

    nonisolated(nonsending) func write<Value: Sendable>(
        _ body: @escaping @Sendable (any DatabaseConnection) throws -> Value
    ) async throws -> Value {
        preconditionFailure("There is no database.")
    }
}
