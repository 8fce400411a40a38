import AtriumKit
import Observation

/// Who is signed in, and signing up, in and out.
@MainActor
@Observable
final class SessionViewModel: ViewModel {
    /// Why the session ended by itself before the screen was last loaded; nil where it did not.
    private var toldEnding: SessionEnding?

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

    /// Those who are told of changes of the session, by type.
    var observers: [String] { session.observerNames }

    /// How long the session lasts, in words: "in 30 days"; nil for a guest.
    var lifeLeft: String? { repository.secondsLeft.map(LifeWords.text) }

    /// Why the session ended by itself since the screen was shown before; nil where it did not, and once
    /// somebody is signed in again.
    var ending: SessionEnding? { isSignedIn ? nil : repository.untoldEnding ?? toldEnding }

    /// Notices a session whose time is over; an ending is told until the screen is loaded again.
    func refresh() {
        repository.endIfExpired()
        toldEnding = repository.takeEnding()
    }

    /// Creates an account and signs in; whoever was signed in is signed out.
    ///
    /// - Throws: ``ValidationError`` with everything that is wrong with the credentials, before anything
    ///   is asked.
    func signUp(email: String, password: String) async throws -> ActionResult {
        let credentials = Credentials(email: email, password: password)
        try credentials.requireValid()
        try await repository.signUp(credentials)
        return .updated("Signed up and signed in as \(email).")
    }

    /// Signs in; whoever was signed in is signed out once the new sign-in succeeded.
    func signIn(email: String, password: String) async throws -> ActionResult {
        try await repository.signIn(Credentials(email: email, password: password))
        return .updated("Signed in as \(self.email ?? email).")
    }

    /// Ends the session; the places on the stack stay unless `leavesPlaces`.
    func signOut(leavingPlaces leavesPlaces: Bool = false) async throws -> ActionResult {
        try await repository.signOut(leavingPlaces: leavesPlaces)
        return .updated("Signed out.")
    }

    /// The person's sessions, here and elsewhere, the newest first.
    func sessions() async throws -> [SessionRecord] {
        try await repository.sessions()
    }

    /// Ends all sessions of the person, on other machines too.
    func signOutEverywhere() async throws -> ActionResult {
        try await repository.signOutEverywhere()
        return .updated("Signed out everywhere.")
    }

    /// Forgets the session of this process, without asking the service.
    func reset() async throws -> ActionResult {
        try await repository.reset()
        return .updated("The session is forgotten.")
    }
}
