@_spi(Host) import AtriumKit

/// Texts that are hard to lay out: wide, joined, combined, long, right-to-left, and similar to commands.
enum HostileTexts {
    /// Texts that fit into every name field.
    static let names = [
        "日本語の長い名前、句読点「付き」", "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇫🇷❤️1️⃣", "e\u{301}a\u{308}o\u{302}\u{323} Zażółć", "한국어 이름",
        "ก็ क्षका ไทย", "נר \u{202B}شمعة\u{202C}", "\u{200B}\u{200D}invisible", "--sort newest; exit | 'x' \"y\"",
        "/usr/lib/atrium/modules/libEntities.so", "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
        String(repeating: "青", count: 80), String(repeating: "W", count: 80),
    ]

    /// A long text of all names.
    static let long = names.joined(separator: " ")

    /// A user with a hostile name and email.
    static func user(_ id: String = "mock-edge-2", name: String? = names.prefix(4).joined()) -> SessionUser {
        SessionUser(
            id: id, email: "用户👩‍👩‍👧‍👦.e\u{301}\(String(repeating: "x", count: 60))@例え.example", displayName: name)
    }
}
