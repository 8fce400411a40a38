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
            try await api.request(.notifications(account, limit: limit)).rows.compactMap(\.notification)
        }
    }
}

struct LocalNotificationService: NotificationService {
    let database: any Database
    let clock: any WallClock

    func send(_ kind: NotificationKind, toAccount account: String) async throws {
        let values = [account.databaseValue, kind.rawValue.databaseValue, clock.now().databaseValue]
        _ = try await database.write { try $0.execute(ProfileQueries.insertNotification, values) }
    }

    /// Omits kinds that only later versions have.
    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification] {
        let rows = try await database.read {
            try $0.query(ProfileQueries.notifications, [account.databaseValue, limit.databaseValue]) {
                NotificationAnswer(id: try $0.value(0), kind: try $0.value(1), createdAt: try $0.value(2))
            }
        }
        return rows.compactMap(\.notification)
    }
}

actor MockNotificationService: NotificationService {
    private let behavior: MockBehavior
    private let clock: any WallClock
    private var sent: [(account: String, notification: Notification)] = []

    init(_ behavior: MockBehavior, clock: any WallClock) { (self.behavior, self.clock) = (behavior, clock) }

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
