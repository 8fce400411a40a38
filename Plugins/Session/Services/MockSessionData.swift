enum MockSessionData {
    struct Account: Sendable {
        let id: String
        let email: String
        let password: String
        let displayName: String?
    }

    static let usual = [
        Account(
            id: "mock-ada", email: "ada@example.com", password: "difference engine",
            displayName: "Ada Lovelace"),
        Account(
            id: "mock-grace", email: "grace@example.com", password: "nanoseconds of wire",
            displayName: "Grace Hopper"),
        Account(
            id: "mock-mohamed", email: "mohamed@example.com", password: "a quiet afternoon",
            displayName: nil),
    ]

    static let edge = [
        Account(
            id: "mock-edge-1", email: "zażółć.gęślą@przykład.example", password: "gęślą jaźń 🎻",
            displayName: "Zażółć Gęślą-Jaźń"),
        Account(
            id: "mock-edge-2", email: "用户@例え.example", password: "密码密码密码密码", displayName: "用户 👩‍👩‍👧‍👦"),
        Account(
            id: "mock-edge-3", email: String(repeating: "a", count: 64) + "@long.example",
            password: String(repeating: "x", count: 1_024),
            displayName: String(repeating: "Wolfeschlegelsteinhausen", count: 8)),
    ]
}
