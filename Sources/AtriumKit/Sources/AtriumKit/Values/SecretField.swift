/// The meaning of the name of a stored or sent field, such as a column, a header or a member of JSON.
///
/// It knows more names than ``SecretName``, and the names of what is only about a secret.
@frozen @_spi(Host) public enum SecretField {
    /// A secret of at least this length.
    case secret(Int)
    /// A value about a secret, such as `token_type`.
    case about
    case other

    public init(_ name: String) {
        let words = Self.words(of: name)
        let plain = words.joined()
        if words.last.map(Self.aboutWords.contains) == true
            || ["type", "endpoint", "uri", "url"].contains(where: plain.hasSuffix)
        {
            self = .about
        } else if Self.parts.contains(where: plain.contains) || !Self.words.isDisjoint(with: words) {
            self = .secret(1)
        } else {
            // The token of a page may be a short number.
            self = SecretName.matches(plain) ? .secret(6) : .other
        }
    }

    public var isSecret: Bool { if case .secret = self { true } else { false } }

    /// The parts of names of secrets, without signs between words.
    private static let parts = [
        "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "sessionid",
        "credential", "authorization",
    ]
    /// The whole words in names of secrets.
    private static let words: Set = ["pwd", "jwt", "otp", "pin", "auth"]
    /// The last words of names about a secret: `token_type`, `expires_in`.
    private static let aboutWords: Set = [
        "type", "endpoint", "uri", "url", "method", "scheme", "scope", "time", "at", "in", "expires",
        "expiry", "count", "limit", "length", "user", "username", "email", "name",
    ]

    /// The words of `user_pin`, `userPin`, `user[pin]`, in lower case.
    private static func words(of name: String) -> [String] {
        var (words, wasLower) = ([""], false)
        for character in name {
            let isPart = character.isLetter || character.isNumber
            if !isPart || (character.isUppercase && wasLower) { words.append("") }
            if isPart { words[words.count - 1] += character.lowercased() }
            wasLower = isPart && !character.isUppercase
        }
        return words.filter { !$0.isEmpty }
    }
}
