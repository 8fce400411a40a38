import AtriumKit

/// Believes every session until it expires by the clock.
struct MockAuthenticationService: AuthenticationService {
    private let behavior: MockBehavior
    private let clock: any WallClock

    init(_ behavior: MockBehavior, clock: any WallClock) {
        self.behavior = behavior
        self.clock = clock
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        try await behavior.play(
            "isAuthenticated", ["signedIn": credential == nil ? "no" : "yes"],
            failingWith: ServiceError.authentication)
        guard let credential else { return false }
        return !credential.isExpired(at: clock.now())
    }
}
