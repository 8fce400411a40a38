import AtriumKit
import Observation

/// What the signed-in person was told.
@MainActor
@Observable
final class NotificationsViewModel: ViewModel {
    /// The most notifications that are shown.
    static let limit = 100

    /// The newest first.
    private(set) var notifications: [Notification] = []

    private let repository: UserProfileRepository

    init(repository: UserProfileRepository) {
        self.repository = repository
    }

    func load() async throws {
        notifications = try await repository.notifications(limit: Self.limit)
    }
}
