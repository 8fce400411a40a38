import AtriumKit
import Observation

/// Signing in at a place of its own, to which guards send whoever is not signed in.
@MainActor
@Observable
final class SignInViewModel: ViewModel {
    private let repository: SessionRepository
    private let session: SessionState
    private let navigator: any Navigator

    init(repository: SessionRepository, session: SessionState, navigator: any Navigator) {
        self.repository = repository
        self.session = session
        self.navigator = navigator
    }

    /// The address of whoever is signed in; nil for a guest.
    var email: String? { session.user?.email }

    /// Whether a person is at this place, not only looking at it from elsewhere.
    var isCurrent: Bool { session.isCurrent(SignInDestination()) }

    /// Ends a session whose time is over, so that nobody is taken for signed in here.
    func refresh() {
        repository.endIfExpired()
    }

    /// Signs in and leaves; whoever was signed in is signed out once the new sign-in succeeded.
    ///
    /// - Throws: ``SessionError/invalidCredentials``; the session stays as it is.
    func signIn(email: String, password: String) async throws -> ActionResult {
        try await repository.signIn(Credentials(email: email, password: password))
        return .leave("Signed in as \(self.email ?? email).", showing: SessionDestination())
    }

    /// Goes to the sign-up; this place stays below it, and with it where the person wanted to go.
    func signUp() async throws -> ActionResult {
        try await navigator.push(SignUpDestination())
        return .updated
    }
}
