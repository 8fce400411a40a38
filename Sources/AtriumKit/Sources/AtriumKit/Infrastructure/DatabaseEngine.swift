/// What stores the data of environment `local` on a database server instead of in files of this machine.
///
/// An infrastructure module provides one; the host loads it when its configuration names a database.
public protocol DatabaseEngine: Sendable {
    /// The tables of a module in the database at `url`; opens nothing.
    ///
    /// Throws if it can't run the migrations, or does not understand the URL.
    func database(of module: String, migrations: [Migration], at url: String) throws -> any ManagedDatabase

    /// Joins the hosts that share the database at `url`; connects in the background, and again after a loss.
    ///
    /// `hear` is called on any thread, in order.
    func join(at url: String, hear: @escaping @Sendable (MembershipEvent) -> Void) -> any DatabaseMembership
}

/// That this host is one of those that share a database.
public protocol DatabaseMembership: Sendable {
    /// The numbers of the hosts that are connected now; one that dies is not, once the server notices.
    nonisolated(nonsending) func members() async throws -> Set<Int>

    /// Waits until the other hosts have been told of what this one changed, and disconnects.
    nonisolated(nonsending) func leave() async
}

/// What a host hears of the others that share a database.
public enum MembershipEvent: Sendable {
    /// It is connected, under a number that no other connected host has. What happened before was not heard.
    case joined(Int)
    /// It was disconnected, and tries to connect again.
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
    /// Until then the first use migrates in a transaction that stays open; what the module writes meanwhile is part
    /// of it.
    func stage()

    /// Whether it belongs to a change.
    var isStaged: Bool { get }

    /// Migrates what is there already now, if it belongs to a change; its transaction stays open.
    ///
    /// Returns the version before; nil if no migration was missing. Throws ``DatabaseError``; the data are as they
    /// were.
    nonisolated(nonsending) func prepare() async throws -> Int?

    /// Notices as much as can be noticed before of what would make ``publish()`` fail.
    func flush() throws

    /// Commits the change: the migrations, and what the module wrote since.
    func publish() throws

    /// Undoes the change; every later use throws.
    func discard()

    /// Closes what is open after the closures that wait; a later call opens it again.
    nonisolated(nonsending) func close() async
}
