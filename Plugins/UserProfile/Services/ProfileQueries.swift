import AtriumKit

enum ProfileQueries {
    static let migrations = [
        Migration(
            1, "create profiles and notifications",
            sqlite: """
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
                """,
            postgresql: """
                CREATE TABLE profiles (
                    accountID text PRIMARY KEY,
                    firstName text NOT NULL,
                    lastName text NOT NULL,
                    age bigint,
                    bio text,
                    updatedAt bigint NOT NULL
                );
                CREATE TABLE notifications (
                    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    accountID text NOT NULL,
                    kind text NOT NULL,
                    createdAt bigint NOT NULL
                );
                CREATE INDEX notifications_account ON notifications (accountID);
                """),
        Migration(
            2, "count the versions of profiles",
            sql: "ALTER TABLE profiles ADD COLUMN version INTEGER NOT NULL DEFAULT 1"),
        OfflineStore.migration(3),
    ]

    static let profile = "SELECT firstName, lastName, age, bio, version FROM profiles WHERE accountID = ?"
    static let names = "SELECT accountID, firstName, lastName FROM profiles"
    static let name = "SELECT accountID, firstName, lastName FROM profiles WHERE accountID = ?"
    static let storeProfile = """
        INSERT INTO profiles (accountID, firstName, lastName, age, bio, updatedAt, version)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (accountID) DO UPDATE SET
            firstName = excluded.firstName, lastName = excluded.lastName, age = excluded.age, bio = excluded.bio,
            updatedAt = excluded.updatedAt, version = excluded.version
        """
    static let insertNotification = """
        INSERT INTO notifications (accountID, kind, createdAt) VALUES (?, ?, ?)
        """
    static let notifications = """
        SELECT id, kind, createdAt FROM notifications WHERE accountID = ? ORDER BY id DESC LIMIT ?
        """

    static func storedProfile(_ row: DatabaseRow) throws -> StoredProfile {
        let age: Bounded<Profile.Ages>? = try row.value(2)
        return StoredProfile(
            profile: Profile(
                firstName: try row.value(0), lastName: try row.value(1), age: age?.wrappedValue,
                bio: try row.value(3)),
            version: ProfileVersion(number: try row.value(4, as: RowCount.self).wrappedValue))
    }
}
