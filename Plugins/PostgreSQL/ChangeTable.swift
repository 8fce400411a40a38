@_spi(Host) import AtriumKit
import Synchronization

/// The changes announced by transactions, in a table that all hosts of the database read.
///
/// A host reads the changes missing from its last snapshot, so it misses none in any order of commits.
struct ChangeTable {
    /// Distinguishes the changes of this process from others'.
    let origin = Int64.random(in: 1 ... .max)
    /// The transactions of this process with an unknown outcome.
    let unsettled = Unsettled()

    /// Module names have no underscores.
    static let schema = "atrium_changes"

    /// The number of minutes for which changes are kept.
    static let minutes = 5

    static let explainer = Explainer(owner: schema)

    static let migrator = Migrator(
        of: schema,
        [
            (
                Migration(1, "create changes", postgresql: ""),
                """
                CREATE TABLE changes (
                    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
                    origin bigint NOT NULL,
                    topic text NOT NULL,
                    key text,
                    committedAt timestamptz NOT NULL DEFAULT clock_timestamp()
                );
                CREATE INDEX changes_transaction ON changes (transaction);
                """
            )
        ])

    struct Position {
        fileprivate var snapshot: String
        /// By the server's clock, in seconds.
        var moment: Double
    }

    /// The messages that write the announcements of an open transaction, to be sent together with the commit.
    func messages(
        _ announcements: [Announcement], _ connection: ServerConnection
    ) throws -> [ServerConnection.Message] {
        guard !announcements.isEmpty else { return [] }
        let insert = try connection.statement(
            "INSERT INTO \(Self.schema).changes (origin, topic, key) VALUES (?, ?, ?)", in: Self.schema)
        return announcements.map {
            .statement(insert, [.integer(origin), .text($0.topic), $0.key.databaseValue])
        }
    }

    /// The position at the end of the table.
    func end(_ connection: ServerConnection) throws -> Position {
        try position(
            in: connection.run(
                "SELECT pg_current_snapshot()::text, extract(epoch FROM clock_timestamp())::float8"))
    }

    /// Returns others' announcements since a position, and advances it; nil if some may have been removed.
    func read(from position: inout Position, _ connection: ServerConnection) throws -> [Announcement]? {
        let statement = try connection.statement(
            """
            SELECT pg_current_snapshot()::text, extract(epoch FROM clock_timestamp())::float8, topic, key
            FROM (SELECT ?::pg_snapshot AS snapshot, ?::bigint AS reader, ?::xid8[] AS unsettled) AS last
            LEFT JOIN \(Self.schema).changes
                ON transaction >= pg_snapshot_xmin(snapshot) AND NOT pg_visible_in_snapshot(transaction, snapshot)
                AND (origin <> reader OR transaction = ANY (unsettled))
            """, in: Self.schema)
        let result = try connection.run(
            statement, [.text(position.snapshot), .integer(origin), .text(unsettled.array)], nil)
        let former = position
        position = try self.position(in: result)
        guard position.moment - former.moment < Double(Self.minutes - 1) * 60 else { return nil }
        return (0..<result.rowCount).compactMap { row in
            result.text(row, 2).map { Announcement(topic: $0, key: result.text(row, 3)) }
        }
    }

    private func position(in result: ServerResult) throws -> Position {
        guard let snapshot = result.text(0, 0), let moment = result.text(0, 1).flatMap(Double.init) else {
            throw ServerFailure(words: "the server gives no snapshot")
        }
        return Position(snapshot: snapshot, moment: moment)
    }

    /// Removes changes that every host has read; only one host at a time does so.
    static func trim(_ connection: ServerConnection) throws {
        try connection.run(
            """
            DELETE FROM \(schema).changes WHERE committedAt < now() - interval '\(minutes) minutes'
            AND pg_try_advisory_xact_lock(hashtextextended('\(schema) trim', 0))
            """)
    }
}

/// The ids of the newest transactions whose outcome is unknown.
final class Unsettled: Sendable {
    private let ids = Mutex<[String]>([])

    func add(_ id: String) { ids.withLock { $0 = Array(($0 + [id]).suffix(1_000)) } }

    /// As a PostgreSQL array.
    var array: String { ids.withLock { "{\($0.joined(separator: ","))}" } }
}
