import AtriumKit

struct LocalUserProfileService: UserProfileService {
    let database: any Database
    let clock: any WallClock

    /// The topic of announced changes; the keys are accounts.
    static let topic = DirectoryUser.table

    func profile(ofAccount account: String) async throws -> StoredProfile? {
        try await database.read { try $0.profile(ofAccount: account) }
    }

    /// Reads all profiles in one transaction.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>] {
        try await database.read { connection in
            accounts.map { account in Result { try connection.profile(ofAccount: account) } }
        }
    }

    /// Checks the version and stores the profile in one transaction.
    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        let now = clock.now()
        return try await database.write { connection in
            guard try connection.profile(ofAccount: account)?.version ?? .none == version else {
                return .outdated
            }
            let values = [account, profile.firstName, profile.lastName].map(\.databaseValue)
            try connection.execute(
                ProfileQueries.storeProfile,
                values + [profile.age.databaseValue, profile.bio.databaseValue]
                    + [now.databaseValue, version.next.number.databaseValue])
            connection.announce(Self.topic, key: account)
            return .accepted(version.next)
        }
    }
}

extension DatabaseConnection {
    fileprivate func profile(ofAccount account: String) throws -> StoredProfile? {
        try first(ProfileQueries.profile, [.text(account)], decode: ProfileQueries.storedProfile)
    }
}
