import AtriumKit

/// Starts with the accounts of ``MockSessionData``; changes last as long as the process.
///
/// Tokens count up instead of being random, so that tests see the same ones each time. Scenario `edge` has
/// different accounts.
actor MockSessionService: SessionService {
    private struct Session {
        let account: String
        let createdAt: Timestamp
        var lastUsedAt: Timestamp
        let end: Timestamp
    }

    private let behavior: MockBehavior
    private let clock: any WallClock
    private var usual = MockSessionService.accounts(MockSessionData.usual)
    private var edge = MockSessionService.accounts(MockSessionData.edge)
    private var sessions: [String: Session] = [:]
    private var tokensGiven = 0
    private var listeners: [AsyncStream<SessionEvent>.Continuation] = []

    init(_ behavior: MockBehavior, clock: any WallClock) {
        self.behavior = behavior
        self.clock = clock
    }

    private static func accounts(_ known: [MockSessionData.Account]) -> [String: MockSessionData.Account] {
        Dictionary(uniqueKeysWithValues: known.map { (EmailRule.key(of: $0.email), $0) })
    }

    private var accounts: [String: MockSessionData.Account] {
        get { behavior.scenario.kind == .edge ? edge : usual }
        set { if behavior.scenario.kind == .edge { edge = newValue } else { usual = newValue } }
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        try await play("signUp", ["email": credentials.email])
        let key = EmailRule.key(of: credentials.email)
        guard accounts[key] == nil else { throw ServiceError.emailTaken(credentials.email) }
        let prefix = behavior.scenario.kind == .edge ? "mock-edge" : "mock"
        let account = MockSessionData.Account(
            id: "\(prefix)-\(accounts.count + 1)", email: credentials.email, password: credentials.password,
            displayName: nil)
        accounts[key] = account
        return grant(account)
    }

    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        try await play("signIn", ["email": credentials.email])
        guard let account = accounts[EmailRule.key(of: credentials.email)],
            account.password == credentials.password
        else { throw ServiceError.invalidCredentials }
        return grant(account)
    }

    func signOut(_ credential: SessionCredential) async throws {
        try await play("signOut")
        sessions[credential.token] = nil
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        try await play("signOutEverywhere")
        let account = try active(credential).account
        sessions = sessions.filter { $0.value.account != account }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        try await play("isValid")
        guard (try? active(credential)) != nil else { return false }
        sessions[credential.token]?.lastUsedAt = clock.now()
        return true
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        try await play("sessions")
        let (account, now) = (try active(credential).account, clock.now())
        return sessions.filter { $0.value.account == account && now < $0.value.end }
            .map { token, session in
                SessionRecord(
                    id: token, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt,
                    isCurrent: token == credential.token)
            }
            .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    }

    // architecture: allow mock-calls, because the host listens, not a user of the mock
    func events() async -> AsyncStream<SessionEvent>? {
        let (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        listeners.append(continuation)
        return events
    }

    /// Ends a session like a server that refuses its tokens.
    func refuse(_ token: String) {
        sessions[token] = nil
        for listener in listeners { listener.yield(.ended(token: token)) }
    }

    private func play(_ call: String, _ arguments: [String: String] = [:]) async throws {
        try await behavior.play(call, arguments, failingWith: ServiceError.unavailable)
    }

    private func active(_ credential: SessionCredential) throws -> Session {
        guard let session = sessions[credential.token], clock.now() < session.end else {
            throw ServiceError.notAuthenticated
        }
        return session
    }

    private func grant(_ account: MockSessionData.Account) -> SessionGrant {
        tokensGiven += 1
        let (token, now) = ("mock-token-\(tokensGiven)", clock.now())
        let end = now.adding(seconds: SessionGrant.lifetime)
        sessions[token] = Session(account: account.id, createdAt: now, lastUsedAt: now, end: end)
        return SessionGrant(
            user: SessionUser(id: account.id, email: account.email, displayName: account.displayName),
            credential: SessionCredential(token: token, expiresAt: end))
    }
}
