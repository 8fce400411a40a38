import AtriumKit

/// Keeps notifications in the module's own database, for ``NotificationsView`` to show.
struct LocalNotificationService: NotificationService {
    private let database: any Database
    private let clock: any WallClock

    init(database: any Database, clock: any WallClock) {
        self.database = database
        self.clock = clock
    }

    func send(_ kind: NotificationKind, toAccount account: String) async throws {
        let now = clock.now()
        try await database.write { connection in
            _ = try connection.execute(
                ProfileQueries.insertNotification,
                [.text(account), .text(kind.rawValue), now.databaseValue])
        }
    }

    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification] {
        try await database.read { connection in
            try connection.query(
                ProfileQueries.notifications, [.text(account), .integer(Int64(limit))]
            ) { row in
                // A kind of a later version of the module is left out.
                try NotificationKind(rawValue: row.value(1)).map { kind in
                    Notification(id: try row.value(0), kind: kind, createdAt: try row.value(2))
                }
            }
        }.compactMap { $0 }
    }
}
