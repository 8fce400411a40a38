package import AtriumKit
import Synchronization

/// Keeps one pool of connections for each database.
package final class PostgreSQLEngine: DatabaseEngine {
    private let limits: Limits
    private let pools = Mutex<[String: ConnectionPool]>([:])

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    package func database(
        of module: String, migrations: [Migration], at url: String
    ) throws -> any ManagedDatabase {
        let migrator = try Migrator(migrations, of: module)
        let pool = pools.withLock { pools in
            if let pool = pools[url] { return pool }
            let pool = ConnectionPool(url, limits)
            pools[url] = pool
            return pool
        }
        return PostgreSQLDatabase(of: module, migrator: migrator, pool: pool, limits: limits)
    }
}
