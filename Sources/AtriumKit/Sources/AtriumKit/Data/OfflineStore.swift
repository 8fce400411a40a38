/// The last known answers of a server, in a module's own database, for when the server can't be asked.
///
/// Each is kept whole under a key, for one account at one server: neither another account nor the client of
/// another server ever gets it. What has to be searched or sorted needs tables of the module's own; they have
/// to be bound to ``APIClient/server`` and ``SessionUser/id`` in the same way.
///
/// ```swift
/// static let migrations = [Migration(1, "create profiles", sql: "…"), OfflineStore.migration(2)]
///
/// let copies = OfflineStore(database: context.database, server: context.api.server)
/// try await copies.keep(profile, as: "profile", of: user.id, at: clock.now())
/// let known = try await copies.last(Profile.self, "profile", of: user.id)
/// ```
public struct OfflineStore: Sendable {
    private let database: any Database
    private let server: String?
    private let capacity: Int

    /// - Parameters:
    ///   - database: The module's own, with the table of ``migration(_:)``.
    ///   - server: The address of the server that answers; without one nothing is kept, and nothing known.
    ///   - capacity: How many answers are kept; those that were not seen for longest go first.
    public init(database: any Database, server: String?, capacity: Int = 1_000) {
        self.database = database
        self.server = server
        self.capacity = capacity
    }

    /// The step of the module's tables that makes the table of the copies.
    public static func migration(_ version: Int) -> Migration {
        Migration(
            version, "create the copies of answers",
            sql: """
                CREATE TABLE answerCopies (
                    server TEXT NOT NULL,
                    account TEXT,
                    key TEXT NOT NULL,
                    answer TEXT NOT NULL,
                    seenAt INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX answerCopies_key ON answerCopies (server, account, key);
                CREATE INDEX answerCopies_seen ON answerCopies (seenAt);
                """)
    }

    /// Keeps an answer, in place of an earlier one.
    ///
    /// - Parameters:
    ///   - answer: What the server answered.
    ///   - key: What it is found under.
    ///   - account: Whom the server answered; nil for a guest.
    ///   - moment: When the server said so.
    /// - Throws: ``DatabaseError``; the earlier answer then stays.
    public nonisolated(nonsending) func keep(
        _ answer: some Encodable, as key: String, of account: String?, at moment: Timestamp
    ) async throws {
        guard let place = place(key, account) else { return }
        let values = place + [.text(try StateCoding.encode(answer)), moment.databaseValue]
        let capacity = capacity
        try await database.write { connection in
            try connection.execute(Self.drop, place)
            try connection.execute(Self.insert, values)
            try connection.execute(Self.trim, [capacity.databaseValue])
        }
    }

    /// The last answer that was kept, and when the server said so.
    ///
    /// - Returns: nil where there is none, or where it is of a shape that the type no longer has.
    public nonisolated(nonsending) func last<Answer: Decodable>(
        _ type: Answer.Type, _ key: String, of account: String?
    ) async throws -> (answer: Answer, asOf: Timestamp)? {
        guard let place = place(key, account) else { return nil }
        let kept = try await database.read { connection in
            try connection.first(Self.select, place) { row in
                (text: try row.value(0, as: String.self), asOf: try row.value(1, as: Timestamp.self))
            }
        }
        guard let kept, let answer = try? StateCoding.decode(type, from: kept.text) else { return nil }
        return (answer, kept.asOf)
    }

    /// Forgets the answer that is kept under a key.
    public nonisolated(nonsending) func forget(_ key: String, of account: String?) async throws {
        guard let place = place(key, account) else { return }
        try await database.write { _ = try $0.execute(Self.drop, place) }
    }

    private func place(_ key: String, _ account: String?) -> [DatabaseValue]? {
        server.map { [.text($0), account.databaseValue, .text(key)] }
    }

    // `IS`, as a guest's account is NULL.
    private static let isAtPlace = "WHERE server = ? AND account IS ? AND key = ?"
    private static let drop = "DELETE FROM answerCopies \(isAtPlace)"
    private static let select = "SELECT answer, seenAt FROM answerCopies \(isAtPlace)"
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
