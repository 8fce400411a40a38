import AtriumKit
import AtriumTesting

@testable import UserProfile

extension ServiceError {
    /// A failure of the API as a service explains it.
    static func failed(_ what: String, cause: APIError) -> ServiceError {
        explain(cause, what) as? ServiceError ?? .notAuthenticated
    }
}

extension UserProfileService {
    /// Puts `profile` in place of whatever is stored.
    func submit(_ profile: Profile, ofAccount account: String) async throws -> SubmissionReceipt {
        let version = try await self.profile(ofAccount: account)?.version ?? .none
        return try await submit(profile, ofAccount: account, replacing: version)
    }
}

extension UserProfileRepository {
    /// Submits every field of `profile`, whatever is stored.
    ///
    /// - Throws: Why it is not stored, or nobody was notified.
    func submit(_ profile: Profile, ofAccount account: String) async throws {
        do {
            try await submit(profile, of: account, over: .none)
        } catch let conflict as ProfileConflict {
            try await submit(profile, of: account, over: conflict.stored)
        }
    }

    private func submit(_ profile: Profile, of account: String, over stored: StoredProfile) async throws {
        let changes = ProfileChanges(
            firstName: profile.firstName, lastName: profile.lastName, age: profile.age,
            bio: profile.bio ?? "")
        let edit = ProfileEdit(
            account: account, changes: changes, stored: stored, known: stored.profile)
        if let failure = try await begin(edit).value().notificationFailure { throw failure }
    }
}

extension ProfileVersion: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: Int) {
        self.init(number: value)
    }
}
