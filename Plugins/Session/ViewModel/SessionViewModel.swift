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
        (self.repository, self.session) = (repository, session)
    }

    var isSignedIn: Bool { session.isSignedIn }
    var email: String? { session.user?.email }
    var displayName: String? { session.user?.displayName }
    var stack: [String] { session.navigationState.links }
    var observers: [String] { session.observerNames }
    var expiresAt: Timestamp? { session.expiresAt }

    /// The end of the session for users: "2026-12-23 12:19 UTC, in 30 days"; empty if there is none.
    var expiryText: String {
        let left = repository.secondsLeft.map { ", \(RemainingTime.text($0))" } ?? ""
        return expiresAt.map { $0.displayText + left } ?? ""
    }

    /// The reason the session ended without a sign-out, until the screen is reloaded or a user signs in.
    var ending: SessionEnding? { isSignedIn ? nil : repository.unreportedEnding ?? shownEnding }

    func load() async { shownEnding = await repository.takeEnding() }

    func signUp(email: String, password: String) async throws -> ActionResult {
        try await repository.signUp(Credentials(email: email, password: password))
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

    func sessions() async throws -> [SessionRecord] { try await repository.sessions() }

    func signOutEverywhere() async throws -> ActionResult {
        try await repository.signOut(everywhere: true)
        return .updated("Signed out everywhere.")
    }

    func reset() async throws -> ActionResult {
        try await repository.reset()
        return .updated("The session is forgotten.")
    }
}

enum RemainingTime {
    /// `seconds` as "in 30 days", in the largest unit with at least two; "now" if none are left.
    static func text(_ seconds: Int) -> String {
        guard seconds > 1 else { return seconds == 1 ? "in 1 second" : "now" }
        let units = [(86_400, "days"), (3_600, "hours"), (60, "minutes")]
        let (unit, name) = units.first { unit, _ in seconds >= 2 * unit - unit / 2 } ?? (1, "seconds")
        return "in \((seconds + unit / 2) / unit) \(name)"
    }
}
