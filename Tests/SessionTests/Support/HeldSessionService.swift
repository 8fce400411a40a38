import AtriumKit

@testable import Session

/// Holds `isValid` until the test answers it; every other call fails.
actor HeldSessionService: SessionService {
    private let (questions, asking) = AsyncStream.makeStream(of: Void.self)
    private var asker: CheckedContinuation<Bool, any Error>?
    /// The number of calls of `isValid`.
    private(set) var questionCount = 0

    /// Returns once `isValid` is called.
    func question() async {
        for await _ in questions { return }
    }

    /// Answers the held call.
    func answer(_ isGood: Bool) {
        asker?.resume(returning: isGood)
        asker = nil
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        questionCount += 1
        return try await withCheckedThrowingContinuation {
            asker = $0
            asking.yield()
        }
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant { throw ServiceError.unavailable }
    func signIn(_ credentials: Credentials) async throws -> SessionGrant { throw ServiceError.unavailable }
    func signOut(_ credential: SessionCredential) async throws { throw ServiceError.unavailable }
    func signOutEverywhere(_ credential: SessionCredential) async throws { throw ServiceError.unavailable }
    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        throw ServiceError.unavailable
    }
}
