import AtriumKit

/// Keeps profiles in the module's own database; accepts each.
struct LocalUserProfileService: UserProfileService {
    private let database: any Database
    private let clock: any WallClock

    init(database: any Database, clock: any WallClock) {
        self.database = database
        self.clock = clock
    }

    func profile(ofAccount account: String) async throws -> Profile? {
        try await database.read { try Self.profile(account, $0) }
    }

    /// All of them as they are at one moment.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<Profile?, any Error>] {
        try await database.read { connection in
            accounts.map { account in Result { try Self.profile(account, connection) } }
        }
    }

    private static func profile(_ account: String, _ connection: any DatabaseConnection) throws -> Profile? {
        try connection.first(ProfileQueries.profile, [.text(account)]) { row in
            Profile(
                firstName: try row.value(0), lastName: try row.value(1), age: try row.value(2),
                bio: try row.value(3))
        }
    }

    func submit(_ profile: Profile, ofAccount account: String) async throws -> SubmissionReceipt {
        let now = clock.now()
        try await database.write { connection in
            _ = try connection.execute(
                ProfileQueries.storeProfile,
                [
                    .text(account), .text(profile.firstName), .text(profile.lastName),
                    profile.age.databaseValue, profile.bio.databaseValue, now.databaseValue,
                ])
        }
        return .accepted
    }
}
