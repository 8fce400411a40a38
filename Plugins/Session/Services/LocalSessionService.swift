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
        let (digest, now) = (SessionToken(text: credential.token).digest, clock.now())
        let session = try await database.read { try Self.goodSession(digest, at: now, $0) }
        guard let session else { return false }
        if session.lastUsedAt.adding(seconds: Self.useGrain) <= now { await keepUse(digest, at: now) }
        return true
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        let (digest, now) = (SessionToken(text: credential.token).digest, clock.now())
        return try await database.read { connection in
            guard let session = try Self.goodSession(digest, at: now, connection) else {
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
            guard let session = try Self.goodSession(digest, at: now, connection) else {
                throw SessionError.notAuthenticated
            }
            try connection.execute(SessionQueries.deleteSessions, [.text(session.account)])
        }
    }

    /// How exactly it is kept when a session was last used, in seconds: a durable write at each start of the
    /// host would cost more than it tells.
    static let useGrain = 60 * 60

    /// Keeps that a session was used; where that fails, the session is good all the same.
    private func keepUse(_ digest: [UInt8], at moment: Timestamp) async {
        try? await database.write { connection in
            _ = try connection.execute(SessionQueries.useSession, [moment.databaseValue, .blob(digest)])
        }
    }

    private static func goodSession(
        _ digest: [UInt8], at moment: Timestamp, _ connection: any DatabaseConnection
    ) throws -> GoodSession? {
        try connection.first(SessionQueries.validSession, [.blob(digest), moment.databaseValue]) { row in
            GoodSession(account: try row.value(0), lastUsedAt: try row.value(1))
        }
    }
}

/// A session that has not ended.
private struct GoodSession: Sendable {
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
