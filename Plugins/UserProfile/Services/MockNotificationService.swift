import AtriumKit

/// Keeps notifications until the process ends.
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
