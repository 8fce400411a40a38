@_spi(Host) package import AtriumKit
import Synchronization

/// Keeps what modules share per database: a connection pool, and the changes announced to other hosts.
package final class PostgreSQLEngine: DatabaseEngine {
    private let limits: Limits
    private let databases = Mutex<[String: SharedDatabase]>([:])

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    package func database(
        of module: String, migrations: [Migration], at url: String
    ) throws -> any ManagedDatabase {
        PostgreSQLDatabase(
            of: module, migrator: try Migrator(migrations, of: module), shared: shared(url), limits: limits)
    }

    package func join(
        at url: String, hear: @escaping @Sendable (MembershipEvent) -> Void
    ) -> any DatabaseMembership { shared(url).join(hear) }

    package func usage(at url: String) -> DatabaseUsage? {
        databases.withLock { $0[url] }?.pool.usage
    }

    private func shared(_ url: String) -> SharedDatabase {
        databases.withLock { databases in
            if let database = databases[url] { return database }
            let database = SharedDatabase(url, limits)
            databases[url] = database
            return database
        }
    }
}

/// The state that all modules of one database share.
final class SharedDatabase: Sendable {
    let pool: ConnectionPool
    let changes = ChangeTable()
    private let state = Mutex(State())

    private struct State {
        var hasChangeTable = false
        var membership: Membership?
    }

    init(_ url: String, _ limits: Limits) { pool = ConnectionPool(url, limits) }

    func join(_ hear: @escaping @Sendable (MembershipEvent) -> Void) -> Membership {
        let membership = Membership(pool, changes, hear: hear)
        state.withLock { $0.membership = membership }
        return membership
    }

    /// Publishes the announcements of a committed transaction.
    func committed(_ announcements: [Announcement]) {
        guard !announcements.isEmpty else { return }
        state.withLock { $0.membership }?.committed(announcements)
    }

    /// Checks how the server is reached, and creates the table of changes, unless both are done.
    func prepare(_ connection: ServerConnection) throws {
        guard !state.withLock({ $0.hasChangeTable }) else { return }
        do { try pool.requireSessions(connection) } catch let failure as ServerFailure {
            throw ChangeTable.explainer.error(failure)
        }
        try ChangeTable.migrator.migrate(connection)
        state.withLock { $0.hasChangeTable = true }
    }
}
