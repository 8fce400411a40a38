import AtriumKit

/// Knows the profiles of ``MockProfileData``; what is submitted is gone with the process.
actor MockUserProfileService: UserProfileService {
    private let scenario: MockScenario
    private var profiles: [String: Profile]

    init(scenario: MockScenario = MockScenario()) {
        self.scenario = scenario
        profiles = scenario.kind == .edge ? MockProfileData.edge : MockProfileData.usual
    }

    func profile(ofAccount account: String) async throws -> Profile? {
        try await scenario.play(failingWith: ServiceError.profiles)
        return profiles[account]
    }

    func submit(_ profile: Profile, ofAccount account: String) async throws -> SubmissionReceipt {
        try await scenario.play(failingWith: ServiceError.profiles)
        profiles[account] = profile
        return .accepted
    }
}
