import AtriumKit
import Observation

/// The profile of the signed-in person, to see.
@MainActor
@Observable
final class ProfileViewModel: ViewModel {
    /// The stored profile; nil where none was submitted yet, and before ``load()``.
    private(set) var profile: Profile?
    /// The address of the account.
    private(set) var email = ""

    private let repository: UserProfileRepository
    private let navigator: any Navigator

    init(repository: UserProfileRepository, navigator: any Navigator) {
        self.repository = repository
        self.navigator = navigator
    }

    /// Whether there is a profile without anything missing.
    var isComplete: Bool { profile?.validate().isEmpty ?? false }

    func load() async throws {
        let (user, profile) = try await repository.profile()
        email = user.email
        self.profile = profile
    }

    /// Goes to the form.
    func edit() async throws -> ActionResult {
        try await navigator.push(ProfileEditDestination())
        return .updated
    }
}
