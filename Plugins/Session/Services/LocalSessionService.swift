import AtriumKit

/// Passwords are hashed before a transaction begins or after it ends, never while it holds the database.
struct LocalSessionService: SessionService {
    let database: any Database
    let clock: any WallClock
    var hasher = PasswordHasher.interactive

    /// The topic of announced changes; the keys are accounts.
    static let topic = "sessions"

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        let passwordHash = try await hasher.hash(credentials.password)
        let emailKey = EmailRule.key(of: credentials.email)
        let user = SessionUser(id: Sodium.base64URL(Sodium.randomBytes(16)), email: credentials.email)
        let now = clock.now()
        return try await database.write { connection in
            let present = try connection.first(SessionQueries.account, [.text(emailKey)]) { _ in true }
            guard present == nil else { throw ServiceError.emailTaken(credentials.email) }
            try connection.execute(
                SessionQueries.insertAccount,
                [
                    .text(user.id), .text(user.email), .text(emailKey), .text(passwordHash),
                    now.databaseValue,
                ])
            return try Self.beginSession(of: user, at: now, connection)
        }
    }

    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        let emailKey = EmailRule.key(of: credentials.email)
        let account = try await database.read { connection in
            try connection.first(SessionQueries.account, [.text(emailKey)]) { row in
                let user = SessionUser(id: try row.value(0), email: try row.value(1))
                return (user: user, passwordHash: try row.value(2, as: String.self))
            }
        }
        let isRight = await hasher.verify(
            credentials.password, against: account?.passwordHash ?? hasher.decoy)
        guard let account, isRight else { throw ServiceError.invalidCredentials }
        let now = clock.now()
        // Replace a hash made with other costs.
        let newHash =
            hasher.isOutdated(account.passwordHash) ? try? await hasher.hash(credentials.password) : nil
        return try await database.write { connection in
            if let newHash {
                try connection.execute(
                    SessionQueries.updatePasswordHash, [.text(newHash), .text(account.user.id)])
            }
            try connection.execute(SessionQueries.deleteExpiredSessions, [now.databaseValue])
            return try Self.beginSession(of: account.user, at: now, connection)
        }
    }

    private static func beginSession(
        of user: SessionUser, at moment: Timestamp, _ connection: any DatabaseConnection
    ) throws -> SessionGrant {
        let (token, end) = (SessionToken.random(), moment.adding(seconds: SessionGrant.lifetime))
        try connection.execute(
            SessionQueries.insertSession,
            [.blob(token.digest), .text(user.id), moment.databaseValue, end.databaseValue])
        return SessionGrant(
            user: user, credential: SessionCredential(token: token.text, expiresAt: end))
    }

    func signOut(_ credential: SessionCredential) async throws {
        let digest = SessionToken(text: credential.token).digest
        try await database.write { connection in
            _ = try connection.execute(SessionQueries.deleteSession, [.blob(digest)])
        }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        let (digest, now) = (SessionToken(text: credential.token).digest, clock.now())
        let session = try await database.read { try Self.activeSession(digest, at: now, $0) }
        guard let session else { return false }
        if session.lastUsedAt.adding(seconds: Self.useGrain) <= now { await saveUse(digest, at: now) }
        return true
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        let (digest, now) = (SessionToken(text: credential.token).digest, clock.now())
        return try await database.read { connection in
            guard let session = try Self.activeSession(digest, at: now, connection) else {
                throw ServiceError.notAuthenticated
            }
            return try connection.query(
                SessionQueries.sessions(connection.dialect),
                [.blob(digest), .text(session.account), now.databaseValue]
            ) { row in
                SessionRecord(
                    id: try row.value(0), createdAt: try row.value(1), lastUsedAt: try row.value(2),
                    isCurrent: try row.value(3))
            }
        }
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        let (digest, now) = (SessionToken(text: credential.token).digest, clock.now())
        try await database.write { connection in
            guard let session = try Self.activeSession(digest, at: now, connection) else {
                throw ServiceError.notAuthenticated
            }
            try connection.execute(SessionQueries.deleteSessions, [.text(session.account)])
            connection.announce(Self.topic, key: session.account)
        }
    }

    /// The precision, in seconds, of a session's stored last use: not every start of the host is worth a
    /// durable write.
    static let useGrain = 60 * 60

    /// Stores the last use of a session; ignores failures.
    private func saveUse(_ digest: [UInt8], at moment: Timestamp) async {
        try? await database.write { connection in
            _ = try connection.execute(SessionQueries.useSession, [moment.databaseValue, .blob(digest)])
        }
    }

    private static func activeSession(
        _ digest: [UInt8], at moment: Timestamp, _ connection: any DatabaseConnection
    ) throws -> (account: String, lastUsedAt: Timestamp)? {
        try connection.first(SessionQueries.activeSession, [.blob(digest), moment.databaseValue]) { row in
            (account: try row.value(0, as: String.self), lastUsedAt: try row.value(1, as: Timestamp.self))
        }
    }
}
