import AtriumKit

/// Keeps accounts and sessions in the module's own database.
///
/// Passwords are hashed before a transaction begins or after it ends, never while it holds the database.
struct LocalSessionService: SessionService {
    private let database: any Database
    private let clock: any WallClock
    private let hasher: PasswordHasher

    init(database: any Database, clock: any WallClock, hasher: PasswordHasher = .interactive) {
        self.database = database
        self.clock = clock
        self.hasher = hasher
    }

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        let passwordHash = try await hasher.hash(credentials.password)
        let emailKey = EmailRule.key(of: credentials.email)
        let user = SessionUser(id: Sodium.base64URL(Sodium.randomBytes(16)), email: credentials.email)
        let session = NewSession(of: user, at: clock.now())
        return try await database.write { connection in
            let present = try connection.first(SessionQueries.account, [.text(emailKey)]) { _ in true }
            guard present == nil else { throw SessionError.emailTaken(credentials.email) }
            try connection.execute(
                SessionQueries.insertAccount,
                [
                    .text(user.id), .text(user.email), .text(emailKey), .text(passwordHash),
                    session.createdAt.databaseValue,
                ])
            return try session.insert(into: connection)
        }
    }

    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        let emailKey = EmailRule.key(of: credentials.email)
        let account = try await database.read { connection in
            try connection.first(SessionQueries.account, [.text(emailKey)]) { row in
                Account(
                    user: SessionUser(id: try row.value(0), email: try row.value(1)),
                    passwordHash: try row.value(2))
            }
        }
        let isRight = await hasher.verify(
            credentials.password, against: account?.passwordHash ?? hasher.decoy)
        guard let account, isRight else { throw SessionError.invalidCredentials }
        let session = NewSession(of: account.user, at: clock.now())
        return try await database.write { connection in
            try connection.execute(
                SessionQueries.deleteExpiredSessions, [session.createdAt.databaseValue])
            return try session.insert(into: connection)
        }
    }

    func signOut(_ credential: SessionCredential) async throws {
        let digest = SessionToken(text: credential.token).digest
        try await database.write { connection in
            _ = try connection.execute(SessionQueries.deleteSession, [.blob(digest)])
        }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        let digest = SessionToken(text: credential.token).digest
        let now = clock.now().databaseValue
        return try await database.read { connection in
            try connection.first(SessionQueries.validSession, [.blob(digest), now]) { _ in true } ?? false
        }
    }
}

/// An account as sign-in reads it.
private struct Account: Sendable {
    let user: SessionUser
    let passwordHash: String
}

/// A session that is about to begin.
private struct NewSession: Sendable {
    let user: SessionUser
    let token = SessionToken.random()
    let createdAt: Timestamp

    init(of user: SessionUser, at createdAt: Timestamp) {
        self.user = user
        self.createdAt = createdAt
    }

    func insert(into connection: any DatabaseConnection) throws -> SessionGrant {
        let expiresAt = createdAt.adding(seconds: SessionGrant.lifetime)
        try connection.execute(
            SessionQueries.insertSession,
            [.blob(token.digest), .text(user.id), createdAt.databaseValue, expiresAt.databaseValue])
        return SessionGrant(
            user: user, credential: SessionCredential(token: token.text, expiresAt: expiresAt))
    }
}
