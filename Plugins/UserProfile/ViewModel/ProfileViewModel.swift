import AtriumKit
import Observation

/// The profile of the signed-in person, to see.
@MainActor
@Observable
final class ProfileViewModel: ViewModel {
    /// The stored profile; nil where none was submitted yet, and before ``load()``.
    private(set) var profile: Profile?
    /// The address of the account; nil where nobody is signed in.
    private(set) var email: String?
    /// Why there is nobody whose profile could be shown; nil where somebody is signed in.
    private(set) var signedOut: AuthenticationError?

    private let repository: UserProfileRepository
    private let navigator: any Navigator

    init(repository: UserProfileRepository, navigator: any Navigator) {
        self.repository = repository
        self.navigator = navigator
    }

    /// Whether there is a profile without anything missing.
    var isComplete: Bool { profile?.validate().isEmpty ?? false }

    /// Brings the profile up to date; that nobody is signed in is something to show, not a failure.
    func load() async throws {
        do {
            let (user, profile) = try await repository.profile()
            (email, self.profile, signedOut) = (user.email, profile, nil)
        } catch let error as AuthenticationError {
            (email, profile, signedOut) = (nil, nil, error)
        }
    }

    /// Goes to the form.
    func edit() async throws -> ActionResult {
        try await navigator.push(ProfileEditDestination())
        return .updated
    }
}
