import AtriumKit
import Observation

/// The profile of the signed-in person, to see.
@MainActor
@Observable
final class ProfileViewModel: ViewModel {
    private let repository: UserProfileRepository
    private let session: SessionState
    private let navigator: any Navigator
    /// What was loaded, and for whom; nil before ``load()``.
    private var loaded: OwnProfile?

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
        repository.observe(self) { viewModel, change in viewModel.take(change) }
    }

    /// The stored profile; nil where none was submitted yet, where it is another person's, and before
    /// ``load()``.
    var profile: Profile? { shown?.profile }

    /// The address of the account; nil where nobody is signed in, or another person than was loaded.
    var email: String? { shown?.user.email }

    /// When the profile was last seen at the service, where that can't be asked now.
    var asOf: Timestamp? { shown?.asOf }

    /// Whether what was loaded is not for whoever is signed in now, and therefore not shown.
    var isOutdated: Bool { loaded.map { $0.user.id != session.user?.id } ?? false }

    /// What was loaded, where it may be shown.
    private var shown: OwnProfile? { isOutdated ? nil : loaded }

    /// Whether there is a profile without anything missing.
    var isComplete: Bool { profile?.validate().isEmpty ?? false }

    /// Brings the profile up to date; one that was read in the last minutes is not asked for again.
    ///
    /// - Throws: ``AuthenticationError/notAuthenticated`` where nobody is signed in any more; what was loaded
    ///   before is forgotten then.
    func load() async throws {
        try await load(reloads: false)
    }

    /// Asks for the profile again, whatever is kept.
    func refresh() async throws -> ActionResult {
        try await load(reloads: true)
        return .updated
    }

    /// Shows what was submitted elsewhere.
    private func take(_ change: ProfileChange) {
        guard let user = loaded?.user, user.id == change.account else { return }
        loaded = OwnProfile(user: user, stored: change.stored)
    }

    private func load(reloads: Bool) async throws {
        do {
            loaded = try await repository.profile(reloads: reloads)
        } catch let error as AuthenticationError {
            loaded = nil
            throw error
        }
    }

    /// Goes to the form.
    func edit() async throws -> ActionResult {
        try await navigator.push(ProfileEditDestination())
        return .updated
    }
}
