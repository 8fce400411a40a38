@_spi(Host) package import AtriumKit
import Synchronization

/// What the engine allows itself and a server.
package struct EngineLimits: Sendable {
    /// The most connections to one server; staged changes of modules have one each beside them.
    package var connections = 8
    /// How long a closure waits for a connection.
    package var wait = Duration.seconds(10)
    /// How long connecting may take.
    package var connect = Duration.seconds(5)
    /// How long a connection stays open without use.
    package var idle = Duration.seconds(60)
    package var statement = Duration.seconds(60)
    /// How long a statement waits for a lock of another transaction.
    package var lock = Duration.seconds(5)
    /// How long a migration waits for that of another host.
    package var migrationLock = Duration.seconds(120)
    /// How many times a transaction is run at most that the server refuses as a conflict.
    package var attempts = 10
    /// How long to look for the outcome of a commit whose answer was lost.
    package var settlement = Duration.seconds(10)

    package init() {}
}

/// Keeps the data of modules in PostgreSQL, in a schema for each.
///
/// The modules of a host share the connections to a server.
package final class PostgreSQLEngine: DatabaseEngine {
    private let limits: EngineLimits
    private let pools = Mutex<[DatabaseURL: ConnectionPool]>([:])

    package init(_ limits: EngineLimits = EngineLimits()) {
        self.limits = limits
    }

    package var dialect: Dialect { .postgresql }

    package func database(
        of module: String, migrations: [Migration], at url: DatabaseURL
    ) -> any ModuleDatabase {
        let pool = pools.withLock { pools in
            if let pool = pools[url] { return pool }
            let pool = ConnectionPool(to: ConnectionTarget(url, limits), limits)
            pools[url] = pool
            return pool
        }
        return PostgreSQLDatabase(of: module, migrations, pool, limits)
    }
}
