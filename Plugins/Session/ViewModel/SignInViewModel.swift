import AtriumKit
import Observation

/// Signing in at a place of its own, to which others send whoever is not signed in.
@MainActor
@Observable
final class SignInViewModel: ViewModel {
    private let repository: SessionRepository

    init(repository: SessionRepository) {
        self.repository = repository
    }

    /// Signs in and leaves.
    func signIn(email: String, password: String) async throws -> ActionResult {
        try await repository.signIn(Credentials(email: email, password: password))
        return .leave("Signed in as \(email).", showing: SessionDestination())
    }
}
