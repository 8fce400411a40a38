import AtriumKit

/// The tables of the local services and every statement on them.
enum ProfileQueries {
    static let migrations = [
        Migration(
            1, "create profiles and notifications",
            sql: """
                CREATE TABLE profiles (
                    accountID TEXT PRIMARY KEY,
                    firstName TEXT NOT NULL,
                    lastName TEXT NOT NULL,
                    age INTEGER,
                    bio TEXT,
                    updatedAt INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE notifications (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    accountID TEXT NOT NULL,
                    kind TEXT NOT NULL,
                    createdAt INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX notifications_account ON notifications (accountID);
                """)
    ]

    /// The profile of an account.
    ///
    /// Arguments: accountID. Columns: firstName, lastName, age, bio.
    static let profile = "SELECT firstName, lastName, age, bio FROM profiles WHERE accountID = ?"
    /// Who has a profile.
    ///
    /// Columns: accountID, firstName, lastName.
    static let names = "SELECT accountID, firstName, lastName FROM profiles"
    /// Who has the profile of an account.
    ///
    /// Arguments: accountID. Columns: accountID, firstName, lastName.
    static let name = "SELECT accountID, firstName, lastName FROM profiles WHERE accountID = ?"
    /// Puts a profile in place of the account's former one.
    ///
    /// Arguments: accountID, firstName, lastName, age, bio, updatedAt.
    static let storeProfile = """
        INSERT OR REPLACE INTO profiles (accountID, firstName, lastName, age, bio, updatedAt)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    /// Tells the person of an account.
    ///
    /// Arguments: accountID, kind, createdAt.
    static let insertNotification = """
        INSERT INTO notifications (accountID, kind, createdAt) VALUES (?, ?, ?)
        """
    /// What the person of an account was told, the newest first.
    ///
    /// Arguments: accountID, limit. Columns: id, kind, createdAt.
    static let notifications = """
        SELECT id, kind, createdAt FROM notifications WHERE accountID = ? ORDER BY id DESC LIMIT ?
        """
}
