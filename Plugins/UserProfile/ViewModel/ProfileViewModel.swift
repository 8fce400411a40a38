import AtriumKit
import Observation

@MainActor
@Observable
final class ProfileViewModel: ViewModel {
    private let repository: UserProfileRepository
    private let navigator: any Navigator
    private var loaded: UserScoped<OwnProfile>

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        (self.repository, self.navigator, loaded) = (repository, navigator, UserScoped(session))
        repository.submitted.add(self) { viewModel, own in
            if viewModel.loaded.value?.user.id == own.user.id { viewModel.loaded.set(own, for: own.user) }
        }
    }

    /// The stored profile; nil if none was submitted yet, and before ``load()``.
    var profile: Profile? { loaded.value?.profile }
    var email: String? { loaded.value?.user.email }
    /// The time when the profile was last seen at the service, if it can't be reached now.
    var asOf: Timestamp? { loaded.value?.asOf }
    var isOutdated: Bool { loaded.isOutdated }
    var isComplete: Bool { profile?.findings.isEmpty ?? false }

    func refresh() async throws -> ActionResult {
        try await load(reloads: true)
        return .updated
    }

    func load(reloads: Bool = false) async throws {
        do {
            let own = try await repository.profile(reloads: reloads)
            loaded.set(own, for: own.user)
        } catch let error as ServiceError where error.isAboutSession {
            loaded.clear()
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
    private var loaded: UserScoped<[Notification]>

    init(repository: UserProfileRepository, session: SessionState) {
        (self.repository, loaded) = (repository, UserScoped(session))
    }

    /// The newest first; never those of another user.
    var notifications: [Notification] { loaded.value ?? [] }
    var isOutdated: Bool { loaded.isOutdated }

    func load() async throws {
        let (user, notifications) = try await repository.notifications(limit: Self.limit)
        loaded.set(notifications, for: user)
    }
}
