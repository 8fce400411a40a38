import AtriumKit

/// Believes every session until it expires by the clock.
struct MockAuthenticationService: AuthenticationService {
    private let scenario: MockScenario
    private let clock: any WallClock

    init(scenario: MockScenario = MockScenario(), clock: any WallClock) {
        self.scenario = scenario
        self.clock = clock
    }

    func isAuthenticated(_ credential: SessionCredential?) async throws -> Bool {
        try await scenario.play(failingWith: ServiceError.authentication)
        guard let credential else { return false }
        return !credential.isExpired(at: clock.now())
    }
}
