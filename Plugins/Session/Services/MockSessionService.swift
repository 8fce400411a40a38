import AtriumKit

/// Knows the accounts of ``MockSessionData``; what is added is gone with the process.
///
/// Tokens count up instead of being random, so that what a test sees is the same each time.
actor MockSessionService: SessionService {
    private let scenario: MockScenario
    private let clock: any WallClock
    private var accounts: [String: MockSessionData.Account]
    private var endOfSession: [String: Timestamp] = [:]
    private var tokensGiven = 0

    init(scenario: MockScenario = MockScenario(), clock: any WallClock) {
        self.scenario = scenario
        self.clock = clock
        let known = scenario.kind == .edge ? MockSessionData.edge : MockSessionData.usual
        accounts = Dictionary(uniqueKeysWithValues: known.map { (EmailRule.key(of: $0.email), $0) })
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        try await scenario.play(failingWith: SessionError.unavailable)
        let key = EmailRule.key(of: credentials.email)
        guard accounts[key] == nil else { throw SessionError.emailTaken(credentials.email) }
        let account = MockSessionData.Account(
            id: "mock-\(accounts.count + 1)", email: credentials.email, password: credentials.password,
            displayName: nil)
        accounts[key] = account
        return grant(account)
    }

    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        try await scenario.play(failingWith: SessionError.unavailable)
        guard let account = accounts[EmailRule.key(of: credentials.email)],
            account.password == credentials.password
        else { throw SessionError.invalidCredentials }
        return grant(account)
    }

    func signOut(_ credential: SessionCredential) async throws {
        try await scenario.play(failingWith: SessionError.unavailable)
        endOfSession[credential.token] = nil
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        try await scenario.play(failingWith: SessionError.unavailable)
        guard let end = endOfSession[credential.token] else { return false }
        return clock.now() < end
    }

    private func grant(_ account: MockSessionData.Account) -> SessionGrant {
        tokensGiven += 1
        let token = "mock-token-\(tokensGiven)"
        let end = clock.now().adding(seconds: SessionGrant.lifetime)
        endOfSession[token] = end
        return SessionGrant(
            user: SessionUser(id: account.id, email: account.email, displayName: account.displayName),
            credential: SessionCredential(token: token, expiresAt: end))
    }
}
