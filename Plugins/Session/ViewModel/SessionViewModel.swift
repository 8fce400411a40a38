import AtriumKit
import Observation

/// The signed-in user, and signing up, in and out.
@MainActor
@Observable
final class SessionViewModel: ViewModel {
    private var shownEnding: SessionEnding?

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
    var stack: [String] { session.navigationState.links }
    var observers: [String] { session.observerNames }

    /// The remaining time of the session: "in 30 days"; nil for a guest.
    var lifeLeft: String? { repository.secondsLeft.map(RemainingTime.text) }

    /// The reason the session ended without a sign-out, until the screen is reloaded or a user signs in.
    var ending: SessionEnding? { isSignedIn ? nil : repository.unreportedEnding ?? shownEnding }

    func refresh() async {
        await repository.settle()
        shownEnding = repository.takeEnding()
    }

    func signUp(email: String, password: String) async throws -> ActionResult {
        let credentials = Credentials(email: email, password: password)
        try ValidationError.check(credentials.validate())
        try await repository.signUp(credentials)
        return .updated("Signed up and signed in as \(email).")
    }

    func signIn(email: String, password: String) async throws -> ActionResult {
        try await repository.signIn(Credentials(email: email, password: password))
        return .updated("Signed in as \(self.email ?? email).")
    }

    func signOut(leavingScreens leavesScreens: Bool = false) async throws -> ActionResult {
        try await repository.signOut(leavingScreens: leavesScreens)
        return .updated("Signed out.")
    }

    func sessions() async throws -> [SessionRecord] {
        try await repository.sessions()
    }

    func signOutEverywhere() async throws -> ActionResult {
        try await repository.signOutEverywhere()
        return .updated("Signed out everywhere.")
    }

    func reset() async throws -> ActionResult {
        try await repository.reset()
        return .updated("The session is forgotten.")
    }
}

enum RemainingTime {
    private static let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]

    /// `seconds` as "in 30 days", in the largest unit with at least two; "now" if none are left.
    static func text(_ seconds: Int) -> String {
        guard seconds > 0 else { return "now" }
        for (unit, name) in units where seconds >= 2 * unit - unit / 2 {
            let count = (seconds + unit / 2) / unit
            return "in \(count) \(name)s"
        }
        return seconds == 1 ? "in 1 second" : "in \(seconds) seconds"
    }
}
