import AtriumKit
import Observation

/// Who is signed in, and signing up, in and out.
@MainActor
@Observable
final class SessionViewModel: ViewModel {
    /// Whether the session ended by itself since the screen was last shown.
    private(set) var hasExpired = false

    private let repository: SessionRepository
    private let session: SessionState

    init(repository: SessionRepository, session: SessionState) {
        self.repository = repository
        self.session = session
    }

    var isSignedIn: Bool { session.isSignedIn }
    var email: String? { session.user?.email }
    var displayName: String? { session.user?.displayName }
    var expiresAt: Timestamp? { session.expiresAt }
    /// The links of the places on the stack, the current one last.
    var places: [String] { session.navigationState.links }

    /// Notices a session whose time is over.
    func refresh() {
        hasExpired = repository.endIfExpired()
    }

    /// Creates an account and signs in; whoever was signed in is signed out.
    ///
    /// - Throws: ``ValidationError`` with everything that is wrong with the credentials, before anything
    ///   is asked.
    func signUp(email: String, password: String) async throws -> ActionResult {
        let credentials = Credentials(email: email, password: password)
        try credentials.requireValid()
        try await repository.signUp(credentials)
        hasExpired = false
        return .updated("Signed up and signed in as \(email).")
    }

    /// Signs in; whoever was signed in is signed out once the new sign-in succeeded.
    func signIn(email: String, password: String) async throws -> ActionResult {
        try await repository.signIn(Credentials(email: email, password: password))
        hasExpired = false
        return .updated("Signed in as \(self.email ?? email).")
    }

    /// Ends the session; the places on the stack stay unless `leavesPlaces`.
    func signOut(leavingPlaces leavesPlaces: Bool = false) async throws -> ActionResult {
        try await repository.signOut(leavingPlaces: leavesPlaces)
        return .updated("Signed out.")
    }
}
