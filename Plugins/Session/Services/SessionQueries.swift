import AtriumKit

enum SessionQueries {
    static let migrations = [
        Migration(
            1, "create accounts and sessions",
            sql: """
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
                """),
        Migration(
            2, "keep when sessions were used",
            sql: "ALTER TABLE sessions ADD COLUMN lastUsedAt INTEGER;"),
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
    /// The active sessions of an account, the newest first, and which of them is the one of a digest.
    static let sessions = """
        SELECT lower(hex(substr(tokenDigest, 1, 6))), createdAt, coalesce(lastUsedAt, createdAt), tokenDigest = ?
        FROM sessions WHERE accountID = ? AND expiresAt > ? ORDER BY createdAt DESC, tokenDigest
        """
}
