import AtriumKit

/// Stores accounts and sessions in the module's own database.
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
        let newHash = await renewedHash(of: account, credentials.password)
        return try await database.write { connection in
            if let newHash {
                try connection.execute(
                    SessionQueries.updatePasswordHash, [.text(newHash), .text(account.user.id)])
            }
            try connection.execute(
                SessionQueries.deleteExpiredSessions, [session.createdAt.databaseValue])
            return try session.insert(into: connection)
        }
    }

    /// The hash of a password whose stored hash was made at another cost; nil if it is up to date.
    private func renewedHash(of account: Account, _ password: String) async -> String? {
        guard hasher.isOutdated(account.passwordHash) else { return nil }
        return try? await hasher.hash(password)
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
                throw SessionError.notAuthenticated
            }
            let arguments = [.text(session.account), now.databaseValue] as [DatabaseValue]
            return try connection.query(SessionQueries.sessions, arguments) { row in
                SessionRecord(
                    id: try row.value(0), createdAt: try row.value(1), lastUsedAt: try row.value(2),
                    isCurrent: try row.value(3, as: Digest.self).bytes == digest)
            }
        }
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        let (digest, now) = (SessionToken(text: credential.token).digest, clock.now())
        try await database.write { connection in
            guard let session = try Self.activeSession(digest, at: now, connection) else {
                throw SessionError.notAuthenticated
            }
            try connection.execute(SessionQueries.deleteSessions, [.text(session.account)])
        }
    }

    /// How precisely the last use of a session is stored, in seconds: not every start of the host is worth a
    /// durable write.
    static let useGrain = 60 * 60

    /// Stores that a session was used; ignores failures.
    private func saveUse(_ digest: [UInt8], at moment: Timestamp) async {
        try? await database.write { connection in
            _ = try connection.execute(SessionQueries.useSession, [moment.databaseValue, .blob(digest)])
        }
    }

    private static func activeSession(
        _ digest: [UInt8], at moment: Timestamp, _ connection: any DatabaseConnection
    ) throws -> ActiveSession? {
        try connection.first(SessionQueries.activeSession, [.blob(digest), moment.databaseValue]) { row in
            ActiveSession(account: try row.value(0), lastUsedAt: try row.value(1))
        }
    }
}

/// A session that has not ended.
private struct ActiveSession: Sendable {
    let account: String
    let lastUsedAt: Timestamp
}

/// Bytes as a column has them.
private struct Digest: DatabaseConvertible {
    static let databaseTypeName = "bytes"
    let bytes: [UInt8]

    init?(databaseValue: DatabaseValue) {
        guard case .blob(let bytes) = databaseValue else { return nil }
        self.bytes = bytes
    }

    var databaseValue: DatabaseValue { .blob(bytes) }
}

/// An account as sign-in reads it.
private struct Account: Sendable {
    let user: SessionUser
    let passwordHash: String
}

/// A session that is not stored yet.
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
