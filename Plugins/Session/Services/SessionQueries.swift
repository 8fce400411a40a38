import AtriumKit

enum SessionQueries {
    static let migrations = [
        Migration(
            1, "create accounts and sessions",
            sqlite: """
                CREATE TABLE accounts (
                    id TEXT PRIMARY KEY,
                    email TEXT NOT NULL,
                    emailKey TEXT NOT NULL UNIQUE,
                    passwordHash TEXT NOT NULL,
                    createdAt INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE sessions (
                    tokenDigest BLOB PRIMARY KEY,
                    accountID TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
                    createdAt INTEGER NOT NULL,
                    expiresAt INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX sessions_account ON sessions (accountID);
                CREATE INDEX sessions_expiry ON sessions (expiresAt);
                """,
            postgresql: """
                CREATE TABLE accounts (
                    id text PRIMARY KEY,
                    email text NOT NULL,
                    emailKey text NOT NULL UNIQUE,
                    passwordHash text NOT NULL,
                    createdAt bigint NOT NULL
                );
                CREATE TABLE sessions (
                    tokenDigest bytea PRIMARY KEY,
                    accountID text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
                    createdAt bigint NOT NULL,
                    expiresAt bigint NOT NULL
                );
                CREATE INDEX sessions_account ON sessions (accountID);
                CREATE INDEX sessions_expiry ON sessions (expiresAt);
                """),
        Migration(
            2, "keep when sessions were used",
            sqlite: "ALTER TABLE sessions ADD COLUMN lastUsedAt INTEGER",
            postgresql: "ALTER TABLE sessions ADD COLUMN lastUsedAt bigint"),
    ]

    static let account = "SELECT id, email, passwordHash FROM accounts WHERE emailKey = ?"
    static let insertAccount = """
        INSERT INTO accounts (id, email, emailKey, passwordHash, createdAt) VALUES (?, ?, ?, ?, ?)
        """
    static let updatePasswordHash = "UPDATE accounts SET passwordHash = ? WHERE id = ?"
    static let insertSession = """
        INSERT INTO sessions (tokenDigest, accountID, createdAt, expiresAt) VALUES (?, ?, ?, ?)
        """
    static let useSession = "UPDATE sessions SET lastUsedAt = ? WHERE tokenDigest = ?"
    static let deleteSession = "DELETE FROM sessions WHERE tokenDigest = ?"
    static let deleteExpiredSessions = "DELETE FROM sessions WHERE expiresAt <= ?"
    static let deleteSessions = "DELETE FROM sessions WHERE accountID = ?"
    static let activeSession = """
        SELECT accountID, coalesce(lastUsedAt, createdAt) FROM sessions WHERE tokenDigest = ? AND expiresAt > ?
        """
    /// The active sessions of an account, the newest first, marking the one with a given digest.
    static func sessions(_ dialect: Dialect) -> String {
        let name =
            dialect == .postgresql
            ? "encode(substring(tokenDigest from 1 for 6), 'hex')" : "lower(hex(substr(tokenDigest, 1, 6)))"
        return """
            SELECT \(name), createdAt, coalesce(lastUsedAt, createdAt), tokenDigest = ?
            FROM sessions WHERE accountID = ? AND expiresAt > ? ORDER BY createdAt DESC, tokenDigest
            """
    }
}
