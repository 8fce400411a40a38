/// The last answers of a server, in the module's database, for when the server can't be reached.
///
/// Each is stored whole under a key, for one account at one server: no other account, and no client of
/// another server, gets it. A repository saves a service's answers and falls back to them:
///
/// ```swift
/// static let migrations = [Migration(1, "create profiles", sql: "…"), OfflineStore.migration(2)]
///
/// registry.service(
///     OfflineStore.self, named: "profiles", live: { OfflineStore($0) }, local: { _ in .none }, mock: { _ in .none })
///
/// try await store.answer("profile", account: user.id) { try await service.profile(id) }
/// ```
///
/// A database failure does not fail the caller: nothing is saved, and a warning is logged.
public struct OfflineStore: Sendable {
    private struct Storage: Sendable {
        let database: any Database
        let server: String
        let capacity: Int
        let clock: any WallClock
        let logger: Logger

        func owner(_ account: String?) -> [DatabaseValue] { [.text(server), account.databaseValue] }
    }

    private let storage: Storage?

    /// A store that saves nothing, for services that can always be reached.
    public static let none = OfflineStore()

    private init() { storage = nil }

    /// Creates a store in the module's database, with the table of ``migration(_:)``; without a server
    /// nothing is saved, and beyond `capacity` the answers seen longest ago are dropped first.
    public init(
        database: any Database, server: String?, clock: any WallClock, logger: Logger, capacity: Int = 1_000
    ) {
        storage = server.map {
            Storage(database: database, server: $0, capacity: capacity, clock: clock, logger: logger)
        }
    }

    /// Creates a store of a module for the server of the host's API.
    @MainActor
    public init(_ context: borrowing ServiceContext) {
        self.init(
            database: context.database, server: context.api.server, clock: context.clock,
            logger: context.logger)
    }

    /// Returns the migration that creates the table.
    public static func migration(_ version: Int) -> Migration {
        Migration(
            version, "create the copies of answers",
            sqlite: """
                CREATE TABLE answerCopies (
                    server TEXT NOT NULL,
                    account TEXT,
                    key TEXT NOT NULL,
                    answer TEXT NOT NULL,
                    seenAt INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX answerCopies_key ON answerCopies (server, account, key);
                CREATE INDEX answerCopies_seen ON answerCopies (seenAt);
                """,
            // Answers of a server belong to environment live, which stores its data in files.
            postgresql: "SELECT 1")
    }

    /// Saves an answer in place of an earlier one; the account of a guest is nil.
    public nonisolated(nonsending) func save(
        _ value: some Codable & Sendable, for key: String, account: String?
    ) async {
        await update(key, account: account) { _, _ in value }
    }

    /// Changes the value saved under a key, in one transaction; `change` receives it, if there is any, and
    /// the time.
    public nonisolated(nonsending) func update<Value: Codable & Sendable>(
        _ key: String, account: String?, _ change: @escaping @Sendable (Value?, Timestamp) -> Value
    ) async {
        await write(account) { connection, storage, owner in
            let former = try connection.first(Self.select, owner + [.text(key)], decode: Self.row)
            let now = storage.clock.now()
            let value = change(former.flatMap { try? StateCoding.decode(Value.self, from: $0.text) }, now)
            try connection.execute(Self.delete, owner + [.text(key)])
            try connection.execute(
                Self.insert,
                owner + [.text(key), .text(try StateCoding.encode(value)), now.databaseValue])
            try connection.execute(Self.trim, [storage.capacity.databaseValue])
        }
    }

    /// Returns the value saved under a key, with the time when it was seen; nil if there is none, or if the
    /// type has changed its shape.
    public nonisolated(nonsending) func value<Value: Codable & Sendable>(
        _ type: Value.Type, for key: String, account: String?
    ) async -> Stale<Value>? {
        guard let storage else { return nil }
        let arguments = storage.owner(account) + [.text(key)]
        let saved = try? await storage.database.read { connection in
            try connection.first(Self.select, arguments, decode: Self.row)
        }
        return saved.flatMap { $0 }.flatMap { Self.decode(type, $0) }
    }

    /// Returns the answer of `ask`, and saves it; returns the saved one if the server can't be reached.
    public nonisolated(nonsending) func answer<Value: Codable & Sendable>(
        _ key: String, account: String?, _ ask: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Stale<Value> {
        do {
            return Stale(try await saving(key, account: account, ask))
        } catch let error where error.isOffline {
            guard let saved = await value(Value.self, for: key, account: account) else { throw error }
            return saved
        }
    }

    /// Returns the answer of `ask`, and saves it if `isCurrent` then, unless the server forbids that by
    /// `Cache-Control: no-store`.
    public nonisolated(nonsending) func saving<Value: Codable & Sendable>(
        _ key: String, account: String?, if isCurrent: nonisolated(nonsending) () async -> Bool = { true },
        _ ask: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        let (answer, mayStore) = try await StorageConsent.asking(ask)
        if mayStore, await isCurrent() { await save(answer, for: key, account: account) }
        return answer
    }

    /// The condition for the answers for all accounts but one, which may be null; never for those of guests.
    @_spi(Host) public static let isOfOthers = "account IS NOT NULL AND account IS NOT ?"

    /// Removes the value saved under a key.
    public nonisolated(nonsending) func remove(_ key: String, account: String?) async {
        await write(account) { connection, _, owner in
            try connection.execute(Self.delete, owner + [.text(key)])
        }
    }

    // MARK: - Keys with a common prefix

    /// Returns the values saved under keys with a prefix, the latest first, without values of another shape,
    /// and only those whose JSON (sorted members, no spaces) contains `text`.
    public nonisolated(nonsending) func values<Value: Codable & Sendable>(
        _ type: Value.Type, prefix: String, containing text: String = "", account: String?
    ) async -> [Stale<Value>] {
        guard let storage else { return [] }
        let arguments = storage.owner(account) + [.text(prefix), .text(prefix), .text(text)]
        let saved = try? await storage.database.read { connection in
            try connection.query(Self.selectAll, arguments) { try Self.row($0) }
        }
        return (saved ?? []).compactMap { Self.decode(type, $0) }
    }

    /// Changes the values that ``values(_:prefix:containing:account:)`` finds, in one transaction, keeping
    /// their times.
    public nonisolated(nonsending) func updateAll<Value: Codable & Sendable>(
        _ type: Value.Type, prefix: String, containing text: String = "", account: String?,
        _ change: @escaping @Sendable (inout Value) -> Void
    ) async {
        await write(account) { connection, _, owner in
            let arguments = owner + [.text(prefix), .text(prefix), .text(text)]
            let saved = try connection.query(Self.selectAll, arguments) { row in
                (id: try row.value(2, as: Int.self), text: try row.value(0, as: String.self))
            }
            for (id, text) in saved {
                guard var value = try? StateCoding.decode(type, from: text) else { continue }
                change(&value)
                try connection.execute(
                    Self.replace, [.text(try StateCoding.encode(value)), id.databaseValue])
            }
        }
    }

    // MARK: - The table

    private nonisolated(nonsending) func write(
        _ account: String?,
        _ body: @escaping @Sendable (any DatabaseConnection, Storage, [DatabaseValue]) throws -> Void
    ) async {
        guard let storage else { return }
        do {
            try await storage.database.write { try body($0, storage, storage.owner(account)) }
        } catch is CancellationError {
        } catch {
            storage.logger.warning("No offline copy could be saved: \(LoadFailure(error).message)")
        }
    }

    private static func row(_ row: DatabaseRow) throws -> (text: String, asOf: Timestamp) {
        (try row.value(0), try row.value(1))
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ saved: (text: String, asOf: Timestamp)
    ) -> Stale<Value>? {
        (try? StateCoding.decode(type, from: saved.text)).map { Stale($0, asOf: saved.asOf) }
    }

    // `IS`, because a guest's account is NULL.
    private static let isOwned = "WHERE server = ? AND account IS ?"
    private static let delete = "DELETE FROM answerCopies \(isOwned) AND key = ?"
    private static let select = "SELECT answer, seenAt FROM answerCopies \(isOwned) AND key = ?"
    private static let selectAll = """
        SELECT answer, seenAt, rowid FROM answerCopies \(isOwned)
            AND substr(key, 1, length(?)) = ? AND instr(answer, ?) > 0
        ORDER BY seenAt DESC, rowid DESC
        """
    private static let replace = "UPDATE answerCopies SET answer = ? WHERE rowid = ?"
    private static let insert = """
        INSERT INTO answerCopies (server, account, key, answer, seenAt) VALUES (?, ?, ?, ?, ?)
        """
    private static let trim = """
        DELETE FROM answerCopies WHERE rowid IN (
            SELECT rowid FROM answerCopies ORDER BY seenAt, rowid
            LIMIT max(0, (SELECT count(*) FROM answerCopies) - ?)
        )
        """
}

/// A value that may be old; screens show a ``StaleNotice`` for it.
public struct Stale<Value: Sendable>: Sendable {
    /// The value, as it was at ``asOf``.
    public let value: Value
    /// When the value was last seen at the service; nil if the service answered just now.
    public let asOf: Timestamp?

    /// Creates a value; `asOf` is nil for one that the service has just answered.
    public init(_ value: Value, asOf: Timestamp? = nil) {
        self.value = value
        self.asOf = asOf
    }
}

extension Stale: Equatable where Value: Equatable {}
