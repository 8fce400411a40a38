import AtriumKit

/// Starts with known accounts; changes last as long as the process.
///
/// Tokens count up instead of being random, so that tests see the same ones each time. Scenario `edge` has
/// different accounts.
actor MockSessionService: SessionService {
    struct Account: Sendable {
        let user: SessionUser
        let password: String

        init(_ id: String, _ email: String, _ password: String, name: String? = nil) {
            (user, self.password) = (SessionUser(id: id, email: email, displayName: name), password)
        }
    }

    private typealias Session = (account: String, createdAt: Timestamp, lastUsedAt: Timestamp)

    private let behavior: MockBehavior
    private let clock: any WallClock
    /// The accounts by the prefix of their ids: those of scenario `edge`, and those of all others.
    private var accounts = ["mock": usualAccounts, "mock-edge": edgeAccounts]
    /// The sessions by their tokens.
    private var sessions: [String: Session] = [:]
    private var tokensGiven = 0
    private let (reports, reporting) = AsyncStream.makeStream(of: SessionEvent.self)

    init(_ behavior: MockBehavior, clock: any WallClock) { (self.behavior, self.clock) = (behavior, clock) }

    private var prefix: String { behavior.scenario.kind == .edge ? "mock-edge" : "mock" }

    private func account(of email: String) -> Account? {
        accounts[prefix]?.first { SearchKey.of($0.user.email) == SearchKey.of(email) }
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        try await behavior.play("signUp", ["email": credentials.email])
        guard account(of: credentials.email) == nil else { throw ServiceError.emailTaken(credentials.email) }
        let id = "\(prefix)-\(accounts[prefix, default: []].count + 1)"
        let account = Account(id, credentials.email, credentials.password)
        accounts[prefix, default: []].append(account)
        return grant(account)
    }

    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        try await behavior.play("signIn", ["email": credentials.email])
        guard let account = account(of: credentials.email), account.password == credentials.password
        else { throw ServiceError.invalidCredentials }
        return grant(account)
    }

    private func grant(_ account: Account) -> SessionGrant {
        tokensGiven += 1
        let (token, now) = ("mock-token-\(tokensGiven)", clock.now())
        sessions[token] = (account.user.id, createdAt: now, lastUsedAt: now)
        let end = now.adding(seconds: SessionGrant.lifetime)
        return SessionGrant(user: account.user, credential: SessionCredential(token: token, expiresAt: end))
    }

    func signOut(_ credential: SessionCredential) async throws {
        try await behavior.play("signOut")
        sessions[credential.token] = nil
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        try await behavior.play("signOutEverywhere")
        let account = try account(of: credential)
        sessions = sessions.filter { $0.value.account != account }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        try await behavior.play("isValid")
        guard (try? account(of: credential)) != nil else { return false }
        sessions[credential.token]?.lastUsedAt = clock.now()
        return true
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        try await behavior.play("sessions")
        let account = try account(of: credential)
        let records = activeSessions.filter { $0.value.account == account }.map { token, session in
            SessionRecord(
                id: token, createdAt: session.createdAt, lastUsedAt: session.lastUsedAt,
                isCurrent: token == credential.token)
        }
        return records.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
    }

    private var activeSessions: [String: Session] {
        let now = clock.now()
        return sessions.filter { now < $0.value.createdAt.adding(seconds: SessionGrant.lifetime) }
    }

    private func account(of credential: SessionCredential) throws -> String {
        guard let session = activeSessions[credential.token] else { throw ServiceError.notAuthenticated }
        return session.account
    }

    // architecture: allow mock-calls, because the host listens, not a user of the mock
    func events() async -> SessionEvents? { reports }

    /// Ends a session like a server that refuses its tokens.
    func refuse(_ token: String) {
        sessions[token] = nil
        reporting.yield(.ended(token: token))
    }

    static let usualAccounts = [
        Account("mock-ada", "ada@example.com", "difference engine", name: "Ada Lovelace"),
        Account("mock-grace", "grace@example.com", "nanoseconds of wire", name: "Grace Hopper"),
        Account("mock-mohamed", "mohamed@example.com", "a quiet afternoon"),
    ]

    static let edgeAccounts = [
        Account("mock-edge-1", "zażółć.gęślą@przykład.example", "gęślą jaźń 🎻", name: "Zażółć Gęślą-Jaźń"),
        Account("mock-edge-2", "用户@例え.example", "密码密码密码密码", name: "用户 👩‍👩‍👧‍👦"),
        Account(
            "mock-edge-3", String(repeating: "a", count: 64) + "@long.example",
            String(repeating: "x", count: 1_024),
            name: String(repeating: "Wolfeschlegelsteinhausen", count: 8)),
    ]
}
