import AtriumKit
import Observation

@MainActor
@Observable
final class ProfileViewModel: ViewModel {
    private let repository: UserProfileRepository
    private let session: SessionState
    private let navigator: any Navigator
    private var loaded: OwnProfile?

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
        repository.submitted.add(self) { $0.take($1) }
    }

    /// The stored profile; nil if none was submitted yet, and before ``load()``.
    var profile: Profile? { shown?.profile }
    var email: String? { shown?.user.email }

    /// The time when the profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp? { shown?.asOf }
    var isOutdated: Bool { loaded.map { $0.user.id != session.user?.id } ?? false }

    private var shown: OwnProfile? { isOutdated ? nil : loaded }
    var isComplete: Bool { profile?.validate().isEmpty ?? false }

    func load() async throws {
        try await load(reloads: false)
    }

    func refresh() async throws -> ActionResult {
        try await load(reloads: true)
        return .updated
    }

    private func take(_ change: ProfileChange) {
        guard let user = loaded?.user, user.id == change.account else { return }
        loaded = OwnProfile(user: user, stored: change.stored)
    }

    private func load(reloads: Bool) async throws {
        do {
            loaded = try await repository.profile(reloads: reloads)
        } catch let error as ServiceError where error.isAboutSession {
            loaded = nil
            throw error
        }
    }

    func edit() async throws -> ActionResult {
        try await navigator.push(ProfileEditDestination())
        return .updated
    }
}

@MainActor
@Observable
final class NotificationsViewModel: ViewModel {
    static let limit = 100

    private let repository: UserProfileRepository
    private let session: SessionState
    /// The notifications and their account; nil before ``load()``.
    private var loaded: (account: String, notifications: [Notification])?

    init(repository: UserProfileRepository, session: SessionState) {
        self.repository = repository
        self.session = session
    }

    /// The newest first; never those of another user.
    var notifications: [Notification] { isOutdated ? [] : loaded?.notifications ?? [] }
    var isOutdated: Bool { loaded.map { $0.account != session.user?.id } ?? false }

    func load() async throws {
        let (user, notifications) = try await repository.notifications(limit: Self.limit)
        loaded = (user.id, notifications)
    }
}
