import AtriumKit

/// Knows the profiles of ``MockProfileData``; what is submitted is gone with the process.
///
/// Refuses a bio with the word "forbidden", as the reference server does.
actor MockUserProfileService: UserProfileService {
    private let behavior: MockBehavior
    private var usual = first(MockProfileData.usual)
    private var edge = first(MockProfileData.edge)

    init(_ behavior: MockBehavior) {
        self.behavior = behavior
    }

    /// The profiles of the present scenario.
    private var profiles: [String: StoredProfile] {
        get { behavior.scenario.kind == .edge ? edge : usual }
        set { if behavior.scenario.kind == .edge { edge = newValue } else { usual = newValue } }
    }

    func profile(ofAccount account: String) async throws -> StoredProfile? {
        try await behavior.play("profile", ["account": account], failingWith: ServiceError.profiles)
        return profiles[account]
    }

    func submit(
        _ profile: Profile, ofAccount account: String, replacing version: ProfileVersion
    ) async throws -> SubmissionReceipt {
        try await behavior.play("submit", ["account": account], failingWith: ServiceError.profiles)
        if profile.bio?.lowercased().contains("forbidden") == true {
            return .refused("The bio has a word that is not allowed.")
        }
        guard profiles[account]?.version ?? .none == version else { return .outdated }
        profiles[account] = StoredProfile(profile: profile, version: version.next)
        return .accepted(version.next)
    }

    /// Profiles as they are before any other was submitted.
    private static func first(_ profiles: [String: Profile]) -> [String: StoredProfile] {
        profiles.mapValues { StoredProfile(profile: $0, version: ProfileVersion.none.next) }
    }
}
