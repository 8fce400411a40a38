import AtriumKit

/// The tables of the local session service and every statement on them.
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
                """)
    ]

    /// An account by its email.
    ///
    /// Arguments: emailKey. Columns: id, email, passwordHash.
    static let account = "SELECT id, email, passwordHash FROM accounts WHERE emailKey = ?"
    /// Creates an account.
    ///
    /// Arguments: id, email, emailKey, passwordHash, createdAt.
    static let insertAccount = """
        INSERT INTO accounts (id, email, emailKey, passwordHash, createdAt) VALUES (?, ?, ?, ?, ?)
        """
    /// Begins a session.
    ///
    /// Arguments: tokenDigest, accountID, createdAt, expiresAt.
    static let insertSession = """
        INSERT INTO sessions (tokenDigest, accountID, createdAt, expiresAt) VALUES (?, ?, ?, ?)
        """
    /// Ends a session.
    ///
    /// Arguments: tokenDigest.
    static let deleteSession = "DELETE FROM sessions WHERE tokenDigest = ?"
    /// Removes the sessions that have ended.
    ///
    /// Arguments: the present moment.
    static let deleteExpiredSessions = "DELETE FROM sessions WHERE expiresAt <= ?"
    /// Whether a session is good: a row, or none.
    ///
    /// Arguments: tokenDigest, the present moment.
    static let validSession = "SELECT 1 FROM sessions WHERE tokenDigest = ? AND expiresAt > ?"
}
