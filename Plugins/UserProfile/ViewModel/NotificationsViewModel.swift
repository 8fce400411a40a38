import AtriumKit
import Observation

/// What the signed-in person was told.
@MainActor
@Observable
final class NotificationsViewModel: ViewModel {
    /// The most notifications that are shown.
    static let limit = 100

    private let repository: UserProfileRepository
    private let session: SessionState
    /// What was loaded, and for which account; nil before ``load()``.
    private var loaded: (account: String, notifications: [Notification])?

    init(repository: UserProfileRepository, session: SessionState) {
        self.repository = repository
        self.session = session
    }

    /// The newest first; none where they are another person's.
    var notifications: [Notification] { isOutdated ? [] : loaded?.notifications ?? [] }

    /// Whether what was loaded is not for whoever is signed in now, and therefore not shown.
    var isOutdated: Bool { loaded.map { $0.account != session.user?.id } ?? false }

    func load() async throws {
        let (user, notifications) = try await repository.notifications(limit: Self.limit)
        loaded = (user.id, notifications)
    }
}
