protocol UserProfileService: Sendable {
    func profile(ofAccount account: String) async throws -> StoredProfile?

    /// The profile or the failure of each of several accounts, in their order.
    ///
    /// - Throws: Only `CancellationError`, if the calling task is cancelled.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>]

    /// Replaces the profile of an account if `version` is the stored one.
    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt
}

extension UserProfileService {
    /// Requests the profiles one at a time.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>] {
        var outcomes: [Result<StoredProfile?, any Error>] = []
        for account in accounts {
            do {
                outcomes.append(.success(try await profile(ofAccount: account)))
            } catch {
                try Task.checkCancellation()
                outcomes.append(.failure(error))
            }
        }
        return outcomes
    }
}
