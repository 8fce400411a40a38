/// Keeps the profile of each account.
protocol UserProfileService: Sendable {
    /// The profile of an account; nil where none was submitted yet.
    func profile(ofAccount account: String) async throws -> Profile?

    /// Puts `profile` in place of the account's former one, where the receipt says that it is accepted.
    func submit(_ profile: Profile, ofAccount account: String) async throws -> SubmissionReceipt
}
