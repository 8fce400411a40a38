import AtriumKit
import Observation

/// The profile of the signed-in person, to see.
@MainActor
@Observable
final class ProfileViewModel: ViewModel {
    private let repository: UserProfileRepository
    private let session: SessionState
    private let navigator: any Navigator
    /// What was loaded, and for which account, nil for a guest; nil before ``load()``.
    private var loaded: (account: String?, answer: Answer)?

    /// The person and their profile, or why there is nobody.
    private typealias Answer = Result<(user: SessionUser, profile: Profile?), AuthenticationError>

    init(repository: UserProfileRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
    }

    /// The stored profile; nil where none was submitted yet, where it is another person's, and before
    /// ``load()``.
    var profile: Profile? { try? answer?.get().profile }

    /// The address of the account; nil where nobody is signed in, or another person than was loaded.
    var email: String? { try? answer?.get().user.email }

    /// Why there is nobody whose profile could be shown; nil where somebody is signed in.
    var signedOut: AuthenticationError? {
        guard isOutdated, !session.isSignedIn else {
            if case .failure(let error) = answer { return error }
            return nil
        }
        return .notAuthenticated
    }

    /// Whether what was loaded is not for whoever is signed in now, and therefore not shown.
    var isOutdated: Bool { loaded.map { $0.account != session.user?.id } ?? false }

    /// What was loaded, where it may be shown.
    private var answer: Answer? { isOutdated ? nil : loaded?.answer }

    /// Whether there is a profile without anything missing.
    var isComplete: Bool { profile?.validate().isEmpty ?? false }

    /// Brings the profile up to date; that nobody is signed in is something to show, not a failure.
    func load() async throws {
        do {
            let (user, profile) = try await repository.profile()
            loaded = (user.id, .success((user, profile)))
        } catch let error as AuthenticationError {
            loaded = (session.user?.id, .failure(error))
        }
    }

    /// Goes to the form.
    func edit() async throws -> ActionResult {
        try await navigator.push(ProfileEditDestination())
        return .updated
    }
}
