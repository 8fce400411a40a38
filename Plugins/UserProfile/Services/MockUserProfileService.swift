import AtriumKit

/// Starts with the profiles of ``MockProfileData``; changes last as long as the process.
///
/// Refuses a bio with the word "forbidden", as the reference server does.
actor MockUserProfileService: UserProfileService {
    private let behavior: MockBehavior
    private var usual = MockProfileData.usual.mapValues { StoredProfile(profile: $0, version: .none.next) }
    private var edge = MockProfileData.edge.mapValues { StoredProfile(profile: $0, version: .none.next) }

    init(_ behavior: MockBehavior) { self.behavior = behavior }

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
}

/// The profiles at the start of the mock service, by account.
///
/// The accounts are those of the mock session service; other accounts have no profile until they submit one.
enum MockProfileData {
    static let usual: [String: Profile] = [
        "mock-ada": Profile(
            firstName: "Ada", lastName: "Lovelace", age: 36,
            bio: "Wrote the first program, for a machine that was not built."),
        "mock-grace": Profile(
            firstName: "Grace", lastName: "Hopper", age: 85,
            bio: "Hands out nanoseconds: 11.8 inches of wire."),
    ]

    static let edge: [String: Profile] = [
        "mock-edge-1": Profile(firstName: "Zażółć", lastName: "Gęślą-Jaźń", age: 150, bio: nil),
        "mock-edge-2": Profile(
            firstName: "用户", lastName: "👩‍👩‍👧‍👦", age: 0, bio: "第一行\n第二行\tשלום عالم e\u{301}"),
        "mock-edge-3": Profile(
            firstName: String(repeating: "W", count: Profile.maximumName),
            lastName: String(repeating: "Wolfe ", count: 16) + "XYZW", age: 18,
            bio: String(repeating: "lorem ipsum ", count: 166) + "dolor"),
    ]
}
