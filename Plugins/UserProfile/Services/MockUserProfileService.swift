import AtriumKit

/// Knows the profiles of ``MockProfileData``; what is submitted is gone with the process.
///
/// Refuses a bio with the word "forbidden", as the reference server does.
actor MockUserProfileService: UserProfileService {
    private let behavior: MockBehavior
    private var usual = MockProfileData.usual
    private var edge = MockProfileData.edge

    init(_ behavior: MockBehavior) {
        self.behavior = behavior
    }

    /// The profiles of the present scenario.
    private var profiles: [String: Profile] {
        get { behavior.scenario.kind == .edge ? edge : usual }
        set { if behavior.scenario.kind == .edge { edge = newValue } else { usual = newValue } }
    }

    func profile(ofAccount account: String) async throws -> Profile? {
        try await behavior.play("profile", ["account": account], failingWith: ServiceError.profiles)
        return profiles[account]
    }

    func submit(_ profile: Profile, ofAccount account: String) async throws -> SubmissionReceipt {
        try await behavior.play("submit", ["account": account], failingWith: ServiceError.profiles)
        if profile.bio?.lowercased().contains("forbidden") == true {
            return .refused("The bio has a word that is not allowed.")
        }
        profiles[account] = profile
        return .accepted
    }
}
