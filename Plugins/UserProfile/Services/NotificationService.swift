import AtriumKit

protocol NotificationService: Sendable {
    func send(_ kind: NotificationKind, toAccount account: String) async throws

    /// The notifications of an account, the newest first, at most `limit` of them.
    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification]
}

struct LiveNotificationService: NotificationService {
    let api: any APIClient

    func send(_ kind: NotificationKind, toAccount account: String) async throws {
        try await ServiceError.explaining("The notification could not be sent") {
            _ = try await api.request(.notify(kind, account))
        }
    }

    /// Omits kinds that only later servers have.
    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification] {
        try await ServiceError.explaining("The notifications could not be read") {
            try await api.request(.notifications(account, limit: limit)).rows
                .compactMap(\.notification)
        }
    }
}

struct LocalNotificationService: NotificationService {
    let database: any Database
    let clock: any WallClock

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
                // Omit kinds that only later versions have.
                try NotificationKind(rawValue: row.value(1)).map { kind in
                    Notification(id: try row.value(0), kind: kind, createdAt: try row.value(2))
                }
            }
        }.compactMap { $0 }
    }
}

actor MockNotificationService: NotificationService {
    private let behavior: MockBehavior
    private let clock: any WallClock
    private var sent: [(account: String, notification: Notification)] = []

    init(_ behavior: MockBehavior, clock: any WallClock) {
        self.behavior = behavior
        self.clock = clock
    }

    func send(_ kind: NotificationKind, toAccount account: String) async throws {
        try await behavior.play(
            "send", ["kind": kind.rawValue, "account": account], failingWith: ServiceError.notifications)
        sent.append((account, Notification(id: sent.count + 1, kind: kind, createdAt: clock.now())))
    }

    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification] {
        try await behavior.play(
            "notifications", ["account": account, "limit": "\(limit)"],
            failingWith: ServiceError.notifications)
        return Array(sent.reversed().filter { $0.account == account }.map(\.notification).prefix(limit))
    }
}
