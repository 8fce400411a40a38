/// The profiles that the mock service knows from the start, by account.
///
/// The accounts are those of the mock session service; another account has no profile until it submits one.
enum MockProfileData {
    static let usual: [String: Profile] = [
        "mock-ada": Profile(
            firstName: "Ada", lastName: "Lovelace", age: 36,
            bio: "Wrote the first program, for a machine that was not built."),
        "mock-grace": Profile(
            firstName: "Grace", lastName: "Hopper", age: 85,
            bio: "Hands out nanoseconds: 11.8 inches of wire."),
    ]

    /// What scenario `edge` gives to the accounts of that scenario.
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
