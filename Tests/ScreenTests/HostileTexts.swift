@_spi(Host) import AtriumKit

/// Texts that are hard to lay out: wide, joined, combined, long, from right to left, and like commands.
enum HostileTexts {
    /// Short enough for every name.
    static let names = [
        "日本語の長い名前、句読点「付き」", "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇫🇷❤️1️⃣", "e\u{301}a\u{308}o\u{302}\u{323} Zażółć", "한국어 이름",
        "ก็ क्षका ไทย", "נר \u{202B}شمعة\u{202C}", "\u{200B}\u{200D}invisible", "--sort newest; exit | 'x' \"y\"",
        "/usr/lib/atrium/modules/libEntities.so", "Donaudampfschifffahrtsgesellschaftskapitänsmütze",
        String(repeating: "青", count: 80), String(repeating: "W", count: 80),
    ]

    /// Long, with all of them.
    static let long = names.joined(separator: " ")

    /// Somebody with such a name and address.
    static func user(_ id: String = "mock-edge-2", name: String? = names.prefix(4).joined()) -> SessionUser {
        SessionUser(
            id: id, email: "用户👩‍👩‍👧‍👦.e\u{301}\(String(repeating: "x", count: 60))@例え.example", displayName: name)
    }
}
