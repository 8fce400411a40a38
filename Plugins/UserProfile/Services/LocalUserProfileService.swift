import AtriumKit

struct LocalUserProfileService: UserProfileService {
    let database: any Database
    let clock: any WallClock

    /// The topic of announced changes; the keys are accounts.
    static let topic = DirectoryUser.table

    func profile(ofAccount account: String) async throws -> StoredProfile? {
        try await database.read { try Self.profile(account, $0) }
    }

    /// Reads all profiles in one transaction.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>] {
        try await database.read { connection in
            accounts.map { account in Result { try Self.profile(account, connection) } }
        }
    }

    private static func profile(
        _ account: String, _ connection: any DatabaseConnection
    ) throws -> StoredProfile? {
        try connection.first(
            ProfileQueries.profile, [.text(account)], decode: ProfileQueries.storedProfile)
    }

    /// Checks the version and stores the profile in one transaction.
    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        let now = clock.now()
        return try await database.write { connection in
            let stored = try Self.profile(account, connection)?.version ?? .none
            guard stored == version else { return .outdated }
            try connection.execute(
                ProfileQueries.storeProfile,
                [
                    .text(account), .text(profile.firstName), .text(profile.lastName),
                    profile.age.databaseValue, profile.bio.databaseValue, now.databaseValue,
                    version.next.number.databaseValue,
                ])
            connection.announce(Self.topic, key: account)
            return .accepted(version.next)
        }
    }
}
