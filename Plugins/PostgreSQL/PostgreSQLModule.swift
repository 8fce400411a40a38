import AtriumKit

/// Provides the engine for PostgreSQL; loaded on the first use of a module's data.
final class PostgreSQLModule: FeatureModule {
    func register(in registry: ModuleRegistry) throws {
        registry.infrastructure((any DatabaseEngine).self) { context in
            let configuration = context.configuration
            var limits = Limits()
            limits.connections = configuration.int("connections") ?? limits.connections
            limits.connect = configuration.double("connectLimit") ?? limits.connect
            limits.statement = configuration.double("statementLimit") ?? limits.statement
            limits.lock = configuration.double("lockLimit") ?? limits.lock
            limits.attempts = configuration.int("attempts") ?? limits.attempts
            return PostgreSQLEngine(limits)
        }
    }
}

/// The limits set by the module's configuration; times are in seconds.
package struct Limits: Sendable {
    package var connections = 8
    package var connect = 5.0
    package var statement = 60.0
    package var lock = 5.0
    package var attempts = 20
    /// The time after which an idle connection is closed.
    package var idle = 60.0
    /// The time limit for locking others out of the tables of a change, and for keeping them out.
    package var keepingOut = 0.5
    #if DEBUG
        /// True if each write runs twice, to find closures with effects other than their statements.
        ///
        /// The first run is rolled back, but uses up ids.
        package var repeatsWrites = true
    #endif

    package init() {}
}
