import AtriumKit
import Observation

/// The sign-in screen, to which guards redirect.
@MainActor
@Observable
final class SignInViewModel: ViewModel {
    private let repository: SessionRepository
    private let session: SessionState
    private let navigator: any Navigator

    init(repository: SessionRepository, session: SessionState, navigator: any Navigator) {
        (self.repository, self.session, self.navigator) = (repository, session, navigator)
    }

    var email: String? { session.user?.email }
    var isCurrent: Bool { session.isCurrent(SignInDestination()) }

    func load() { repository.endIfExpired() }

    func signIn(email: String, password: String) async throws -> ActionResult {
        try await repository.signIn(Credentials(email: email, password: password))
        return .leave("Signed in as \(self.email ?? email).", showing: SessionDestination())
    }

    /// Pushes the sign-up; the sign-in and its intent stay below it.
    func signUp() async throws -> ActionResult {
        try await navigator.push(SignUpDestination())
        return .updated
    }
}
