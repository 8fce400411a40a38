@_spi(Host) import AtriumKit

/// Provides the engine for databases in PostgreSQL; loaded when the host is started with such a database.
final class PostgreSQLModule: FeatureModule {
    func register(in registry: ModuleRegistry) throws {
        registry.infrastructure((any DatabaseEngine).self) { context in
            let configuration = context.configuration
            var limits = EngineLimits()
            limits.connections = configuration.int("connections") ?? limits.connections
            limits.wait = Self.duration(configuration, "waitLimit") ?? limits.wait
            limits.connect = Self.duration(configuration, "connectLimit") ?? limits.connect
            limits.statement = Self.duration(configuration, "statementLimit") ?? limits.statement
            limits.lock = Self.duration(configuration, "lockLimit") ?? limits.lock
            limits.attempts = configuration.int("attempts") ?? limits.attempts
            return PostgreSQLEngine(limits)
        }
    }

    private static func duration(_ configuration: Configuration, _ name: String) -> Duration? {
        configuration.double(name).map { .milliseconds(Int($0 * 1000)) }
    }
}
