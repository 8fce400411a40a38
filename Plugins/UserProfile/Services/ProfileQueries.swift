import AtriumKit

enum ProfileQueries {
    static let migrations = [
        Migration(
            1, "create profiles and notifications",
            sqlite: tables(
                "TEXT", "INTEGER", "INTEGER PRIMARY KEY AUTOINCREMENT",
                ends: (") STRICT, WITHOUT ROWID;", ") STRICT;")),
            postgresql: tables(
                "text", "bigint", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", ends: (");", ");"))),
        Migration(
            2, "count the versions of profiles",
            sql: "ALTER TABLE profiles ADD COLUMN version INTEGER NOT NULL DEFAULT 1"),
        OfflineStore.migration(3),
    ]

    private static func tables(
        _ text: String, _ integer: String, _ identity: String, ends: (profiles: String, notifications: String)
    ) -> String {
        """
        CREATE TABLE profiles (
            accountID \(text) PRIMARY KEY,
            firstName \(text) NOT NULL,
            lastName \(text) NOT NULL,
            age \(integer),
            bio \(text),
            updatedAt \(integer) NOT NULL
        \(ends.profiles)
        CREATE TABLE notifications (
            id \(identity),
            accountID \(text) NOT NULL,
            kind \(text) NOT NULL,
            createdAt \(integer) NOT NULL
        \(ends.notifications)
        CREATE INDEX notifications_account ON notifications (accountID);
        """
    }

    static let profile = "SELECT firstName, lastName, age, bio, version FROM profiles WHERE accountID = ?"
    static let names = "SELECT accountID, firstName, lastName FROM profiles"
    static let name = names + " WHERE accountID = ?"
    static let storeProfile = """
        INSERT INTO profiles (accountID, firstName, lastName, age, bio, updatedAt, version)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (accountID) DO UPDATE SET
            firstName = excluded.firstName, lastName = excluded.lastName, age = excluded.age, bio = excluded.bio,
            updatedAt = excluded.updatedAt, version = excluded.version
        """
    static let insertNotification = "INSERT INTO notifications (accountID, kind, createdAt) VALUES (?, ?, ?)"
    static let notifications =
        "SELECT id, kind, createdAt FROM notifications WHERE accountID = ? ORDER BY id DESC LIMIT ?"

    static func storedProfile(_ row: DatabaseRow) throws -> StoredProfile {
        let (age, version): (Bounded<Profile.Ages>?, RowCount) = (try row.value(2), try row.value(4))
        let profile = Profile(
            firstName: try row.value(0), lastName: try row.value(1), age: age?.wrappedValue,
            bio: try row.value(3))
        return StoredProfile(profile: profile, version: ProfileVersion(number: version.wrappedValue))
    }
}
