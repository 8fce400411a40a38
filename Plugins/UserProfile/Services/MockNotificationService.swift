import AtriumKit

/// Keeps notifications until the process ends.
actor MockNotificationService: NotificationService {
    private let scenario: MockScenario
    private let clock: any WallClock
    private var sent: [(account: String, notification: Notification)] = []

    init(scenario: MockScenario = MockScenario(), clock: any WallClock) {
        self.scenario = scenario
        self.clock = clock
    }

    func send(_ kind: NotificationKind, toAccount account: String) async throws {
        try await scenario.play(failingWith: ServiceError.notifications)
        sent.append((account, Notification(id: sent.count + 1, kind: kind, createdAt: clock.now())))
    }

    func notifications(ofAccount account: String, limit: Int) async throws -> [Notification] {
        try await scenario.play(failingWith: ServiceError.notifications)
        return Array(sent.reversed().filter { $0.account == account }.map(\.notification).prefix(limit))
    }
}
