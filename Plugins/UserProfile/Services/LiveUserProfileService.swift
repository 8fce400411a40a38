import AtriumKit

struct LiveUserProfileService: UserProfileService {
    static let batchWidth = 8

    let api: any APIClient

    func profile(ofAccount account: String) async throws -> StoredProfile? {
        do {
            return try await api.request(.profile(account)).stored()
        } catch {
            return try Self.noProfile(error)
        }
    }

    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>] {
        let answers = try await api.batch(accounts.map { .profile($0) }, width: Self.batchWidth)
        return answers.map { answer in
            Result { do { return try answer.get().stored() } catch { return try Self.noProfile(error) } }
        }
    }

    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        try await ServiceError.explaining("The profile could not be submitted") {
            do {
                return try await api.request(.submit(profile, account, replacing: version)).receipt()
            } catch let error as APIError where error.status == 412 {
                return .outdated
            }
        }
    }

    /// Returns nil if the server has no profile; throws every other error.
    private static func noProfile(_ error: any Error) throws -> StoredProfile? {
        if let error = error as? APIError, error.status == 404 { return nil }
        throw ServiceError.explain(error, "The profile could not be read")
    }
}
