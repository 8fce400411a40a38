/// An engine that stores the data of environment `local` on a database server instead of in local files.
///
/// An infrastructure module provides one; the host loads it if its configuration names a database.
public protocol DatabaseEngine: Sendable {
    /// Returns the tables of a module in the database at `url`; opens nothing.
    ///
    /// Throws if it can't run the migrations, or does not understand the URL.
    func database(of module: String, migrations: [Migration], at url: String) throws -> any ManagedDatabase

    /// Joins the hosts that share the database at `url`; connects in the background, and again after a loss.
    ///
    /// `hear` is called with each event on any thread, in order.
    func join(at url: String, hear: @escaping @Sendable (MembershipEvent) -> Void) -> any DatabaseMembership

    /// Returns what it has counted for the database at `url`; nil if it counts nothing.
    @_spi(Host) func usage(at url: String) -> DatabaseUsage?
}

extension DatabaseEngine {
    @_spi(Host) public func usage(at url: String) -> DatabaseUsage? { nil }
}

/// The connections of a host to a database server, and its transactions since the start.
@_spi(Host)
public struct DatabaseUsage: Sendable {
    /// The open connections for transactions, and how many of them run one.
    public var connections = 0
    public var busy = 0
    /// The most connections that it opens.
    public var limit = 0
    /// The transactions that wait for a connection.
    public var waiting = 0
    public var transactions = 0
    /// The transactions that the server refused as a conflict.
    public var conflicts = 0

    public init() {}
}

/// A failure of one of the rows of ``DatabaseConnection/insert(into:_:rows:)``.
@_spi(Host)
public protocol RowFailure: Error {
    /// The number of the row, from 1; nil if unknown.
    var row: Int? { get }
}

/// The membership of this host among those that share a database.
public protocol DatabaseMembership: Sendable {
    /// Returns the numbers of the hosts that are connected now, without those whose death the server has
    /// noticed.
    nonisolated(nonsending) func members() async throws -> Set<Int>

    /// Waits until the other hosts have been notified of this one's changes, and disconnects.
    nonisolated(nonsending) func leave() async
}

/// An event of the hosts that share a database.
public enum MembershipEvent: Sendable {
    /// This host is connected, under a number unique among the connected hosts; earlier events were missed.
    case joined(Int)
    /// This host was disconnected, and tries to connect again.
    case lost(any Error)
    /// Changes were committed, by this host or by others.
    case changed([Announcement], isOwn: Bool)
}

/// A database whose migrations can be part of a change of the modules.
///
/// The host calls these between the calls of the module, one at a time.
public protocol ManagedDatabase: Database, AnyObject {
    /// Makes the migrations part of a change, which ``publish()`` or ``discard()`` ends.
    ///
    /// Until then the first use migrates in a transaction that stays open; the module's writes meanwhile are
    /// part of it.
    func stage()

    /// True if it belongs to a change.
    var isStaged: Bool { get }

    /// Runs the migrations now, if the database belongs to a change; its transaction stays open.
    ///
    /// Returns the version before; nil if no migration was missing. Throws ``DatabaseError``; the data are
    /// then unchanged.
    nonisolated(nonsending) func prepare() async throws -> Int?

    /// Detects as many causes as possible that would make ``publish()`` fail.
    func flush() throws

    /// Commits the change: the migrations, and the module's writes since.
    func publish() throws

    /// Undoes the change; every later use throws.
    func discard()

    /// Closes what is open, after the closures already waiting; a later call opens it again.
    nonisolated(nonsending) func close() async

    /// Runs a query that a user typed, on a separate connection that can't change anything.
    ///
    /// Cancelling the calling task ends the query.
    @_spi(Host) nonisolated(nonsending) func answer(_ query: DatabaseQuery) async throws -> DatabaseAnswer
}

extension ManagedDatabase {
    @_spi(Host) nonisolated(nonsending) public func answer(
        _ query: DatabaseQuery
    ) async throws -> DatabaseAnswer {
        throw DatabaseError(
            code: .databaseUnsupported, message: "This engine does not support queries by users.")
    }
}
