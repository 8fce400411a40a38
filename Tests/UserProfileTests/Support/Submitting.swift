import AtriumKit
import AtriumTesting

@testable import UserProfile

extension ServiceError {
    /// The error that a service makes of an API error.
    static func failed(_ what: String, cause: APIError) -> ServiceError {
        explain(cause, what) as? ServiceError ?? .notAuthenticated
    }
}

extension UserProfileService {
    /// Stores `profile`, replacing the current version.
    func submit(_ profile: Profile, ofAccount account: String) async throws -> SubmissionReceipt {
        let version = try await self.profile(ofAccount: account)?.version ?? .none
        return try await submit(profile, ofAccount: account, replacing: version)
    }
}

extension UserProfileRepository {
    /// Submits every field of `profile`, overwriting the stored one.
    ///
    /// - Throws: The error if the profile is not stored or its notification is not sent.
    func submit(_ profile: Profile, ofAccount account: String) async throws {
        do {
            try await submit(profile, of: account, over: known[account]?.profile ?? Profile())
        } catch let error as ServiceError where error.code == .changedMeanwhile {
            let stored = try await self.profile(reloads: true).profile
            try await submit(profile, of: account, over: stored ?? Profile())
        }
    }

    private func submit(_ profile: Profile, of account: String, over stored: Profile) async throws {
        let changes = RecordChanges(to: profile, from: stored)
        if let failure = try await submit(changes, ofAccount: account).notificationFailure { throw failure }
    }
}

extension ProfileVersion: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self.init(number: value)
    }
}
