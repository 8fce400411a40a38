/// Keeps the profile of each account.
protocol UserProfileService: Sendable {
    /// The profile of an account; nil where none was submitted yet.
    func profile(ofAccount account: String) async throws -> StoredProfile?

    /// The profiles of several accounts.
    ///
    /// - Returns: What became of each, in the order of `accounts`: one failure is that one's.
    /// - Throws: `CancellationError` where the calling task is cancelled; nothing else.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>]

    /// Puts `profile` in place of the account's former one, where the receipt says that it is accepted.
    ///
    /// - Parameters:
    ///   - profile: The profile.
    ///   - account: Whose.
    ///   - version: The version that it is made from; where another one is stored, nothing is done and the
    ///     receipt says that it is outdated.
    /// - Returns: What was done, the new version with it.
    /// - Throws: Why it is not known, or could not be done.
    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt
}

extension UserProfileService {
    /// Asks for one after the other, several at a time.
    func profiles(ofAccounts accounts: [String]) async throws -> [Result<StoredProfile?, any Error>] {
        try await Batch.outcomes(of: accounts, width: Batch.width) { try await profile(ofAccount: $0) }
    }
}
