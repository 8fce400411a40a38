import AtriumKit

@testable import Session

/// Answers the question about a session when the test lets it; anything else fails.
actor HeldSessionService: SessionService {
    private let (questions, asking) = AsyncStream.makeStream(of: Void.self)
    private var asker: CheckedContinuation<Bool, any Error>?

    /// Waits until somebody asks.
    func question() async {
        for await _ in questions { return }
    }

    /// Answers who asked.
    func answer(_ isGood: Bool) {
        asker?.resume(returning: isGood)
        asker = nil
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        try await withCheckedThrowingContinuation {
            asker = $0
            asking.yield()
        }
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant { throw SessionError.unavailable }
    func signIn(_ credentials: Credentials) async throws -> SessionGrant { throw SessionError.unavailable }
    func signOut(_ credential: SessionCredential) async throws { throw SessionError.unavailable }
    func signOutEverywhere(_ credential: SessionCredential) async throws { throw SessionError.unavailable }
    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        throw SessionError.unavailable
    }
}
