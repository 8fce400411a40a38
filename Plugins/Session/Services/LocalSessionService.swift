import AtriumKit

/// Accounts and sessions in the module's database.
///
/// Passwords are hashed before a transaction begins or after it ends, never while it holds the database.
struct LocalSessionService: SessionService {
    let database: any Database
    let clock: any WallClock
    var hasher = PasswordHasher.interactive

    /// The topic of announced changes; the keys are accounts.
    static let topic = "sessions"
    /// The precision, in seconds, of a session's stored last use: not every start of the host is worth a
    /// durable write.
    static let useGrain = 60 * 60

    func signUp(_ credentials: Credentials) async throws -> SessionGrant {
        let passwordHash = try await hasher.hash(credentials.password)
        let user = SessionUser(id: Sodium.randomText(bytes: 16), email: credentials.email)
        return try await database.write { [clock] connection in
            guard try connection.account(of: user.email) == nil else {
                throw ServiceError.emailTaken(user.email)
            }
            let now = try connection.now(clock)
            try connection.execute(
                "INSERT INTO accounts (id, email, emailKey, passwordHash, createdAt) VALUES (?, ?, ?, ?, ?)",
                [user.id, user.email, SearchKey.of(user.email), passwordHash].map { .text($0) }
                    + [now.databaseValue])
            return try connection.beginSession(of: user, at: now, clock)
        }
    }

    func signIn(_ credentials: Credentials) async throws -> SessionGrant {
        let account = try await database.read { try $0.account(of: credentials.email) }
        let hash = account?.passwordHash ?? hasher.decoy
        let isRight = await hasher.verify(credentials.password, against: hash)
        guard let account, isRight else { throw ServiceError.invalidCredentials }
        // Replace a hash made with other costs.
        let newHash = hasher.isOutdated(hash) ? try? await hasher.hash(credentials.password) : nil
        return try await database.write { [clock] connection in
            let update = "UPDATE accounts SET passwordHash = ? WHERE id = ?"
            if let newHash { try connection.execute(update, [.text(newHash), .text(account.user.id)]) }
            let now = try connection.now(clock)
            try connection.execute("DELETE FROM sessions WHERE expiresAt <= ?", [now.databaseValue])
            return try connection.beginSession(of: account.user, at: now, clock)
        }
    }

    func signOut(_ credential: SessionCredential) async throws {
        let digest = SessionToken(text: credential.token).digest
        let delete = "DELETE FROM sessions WHERE tokenDigest = ?"
        _ = try await database.write { try $0.execute(delete, [.blob(digest)]) }
    }

    func signOutEverywhere(_ credential: SessionCredential) async throws {
        let digest = SessionToken(text: credential.token).digest
        try await database.write { [clock] connection in
            let account: String? = try connection.first(
                """
                DELETE FROM sessions WHERE accountID =
                (SELECT accountID FROM sessions WHERE tokenDigest = ? AND expiresAt > ?) RETURNING accountID
                """, [.blob(digest), connection.now(clock).databaseValue]
            ) { try $0.value(0) }
            guard let account else { throw ServiceError.notAuthenticated }
            connection.announce(Self.topic, key: account)
        }
    }

    func isValid(_ credential: SessionCredential) async throws -> Bool {
        let digest = SessionToken(text: credential.token).digest
        let sql =
            "SELECT coalesce(lastUsedAt, createdAt) FROM sessions WHERE tokenDigest = ? AND expiresAt > ?"
        let (lastUse, now) = try await database.read { [clock] connection in
            let now = try connection.now(clock)
            let used: Timestamp? = try connection.first(sql, [.blob(digest), now.databaseValue]) {
                try $0.value(0)
            }
            return (used, now)
        }
        guard let lastUse else { return false }
        if lastUse.adding(seconds: Self.useGrain) <= now {
            // The session is valid even if its use can't be stored.
            let update = "UPDATE sessions SET lastUsedAt = ? WHERE tokenDigest = ?"
            _ = try? await database.write { try $0.execute(update, [now.databaseValue, .blob(digest)]) }
        }
        return true
    }

    func sessions(_ credential: SessionCredential) async throws -> [SessionRecord] {
        let digest = SessionToken(text: credential.token).digest
        let sessions = try await database.read { [clock] connection in
            try connection.query(
                """
                SELECT tokenDigest, createdAt, coalesce(lastUsedAt, createdAt) FROM sessions WHERE expiresAt > ?
                AND accountID = (SELECT accountID FROM sessions WHERE tokenDigest = ?)
                ORDER BY createdAt DESC, tokenDigest
                """, [connection.now(clock).databaseValue, .blob(digest)]
            ) { row in
                let other = try row.bytes(0)
                let name = other.prefix(6).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
                return SessionRecord(
                    id: name.joined(), createdAt: try row.value(1), lastUsedAt: try row.value(2),
                    isCurrent: other == digest)
            }
        }
        guard sessions.contains(where: \.isCurrent) else { throw ServiceError.notAuthenticated }
        return sessions
    }
}

extension DatabaseConnection {
    fileprivate func account(of email: String) throws -> (user: SessionUser, passwordHash: String)? {
        for key in SearchKey.forms(of: email) {
            let account: (SessionUser, String)? = try first(
                "SELECT id, email, passwordHash FROM accounts WHERE emailKey = ?", [.text(key)]
            ) { (SessionUser(id: try $0.value(0), email: try $0.value(1)), try $0.value(2)) }
            if let account { return account }
        }
        return nil
    }

    /// The time that hosts with different clocks share: the server's, if there is one.
    fileprivate func now(_ clock: any WallClock) throws -> Timestamp {
        guard dialect == .postgresql else { return clock.now() }
        let now = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
        return try first(now, [], decode: { try $0.value(0) }) ?? clock.now()
    }

    /// Begins a session; its credential has the end by the host's clock, by which the host judges it.
    fileprivate func beginSession(
        of user: SessionUser, at moment: Timestamp, _ clock: any WallClock
    ) throws -> SessionGrant {
        let (token, end) = (SessionToken.random(), moment.adding(seconds: SessionGrant.lifetime))
        try execute(
            "INSERT INTO sessions (tokenDigest, accountID, createdAt, expiresAt) VALUES (?, ?, ?, ?)",
            [.blob(token.digest), .text(user.id), moment.databaseValue, end.databaseValue])
        let ownEnd = clock.now().adding(seconds: SessionGrant.lifetime)
        return SessionGrant(user: user, credential: SessionCredential(token: token.text, expiresAt: ownEnd))
    }
}

extension LocalSessionService {
    static let migrations = [
        Migration(
            1, "create accounts and sessions",
            sqlite: tables("TEXT", "INTEGER", "BLOB", end: ") STRICT, WITHOUT ROWID;"),
            postgresql: tables("text", "bigint", "bytea", end: ");")),
        Migration(
            2, "keep when sessions were used",
            sqlite: "ALTER TABLE sessions ADD COLUMN lastUsedAt INTEGER",
            postgresql: "ALTER TABLE sessions ADD COLUMN lastUsedAt bigint"),
    ]

    private static func tables(_ text: String, _ integer: String, _ bytes: String, end: String) -> String {
        """
        CREATE TABLE accounts (
            id \(text) PRIMARY KEY,
            email \(text) NOT NULL,
            emailKey \(text) NOT NULL UNIQUE,
            passwordHash \(text) NOT NULL,
            createdAt \(integer) NOT NULL
        \(end)
        CREATE TABLE sessions (
            tokenDigest \(bytes) PRIMARY KEY,
            accountID \(text) NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
            createdAt \(integer) NOT NULL,
            expiresAt \(integer) NOT NULL
        \(end)
        CREATE INDEX sessions_account ON sessions (accountID);
        CREATE INDEX sessions_expiry ON sessions (expiresAt);
        """
    }
}
