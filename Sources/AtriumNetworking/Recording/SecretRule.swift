@_spi(Host) internal import AtriumKit

/// Decides by their names which values of requests and answers are secrets: members of JSON with all below them,
/// fields, items of forms and of the queries of URLs, wherever these are.
struct SecretRule: Sendable {
    private let authorization: APIConventions.Authorization
    private let credentialFields: [String]

    /// The rule for an API, or for one that is not known.
    init(_ configuration: APIConfiguration?) {
        authorization = configuration?.conventions.authorization ?? APIConventions().authorization
        let usual = HTTPRequest(.get, "").credentialFields
        credentialFields = (configuration?.wire.credentialFields ?? usual).map { $0.lowercased() }
    }

    /// What the name of a secret has, without signs between.
    private static let parts = [
        "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "sessionid",
        "credential", "authorization",
    ]
    /// The words that make a name one of a secret.
    private static let words: Set = ["pwd", "jwt", "otp", "pin", "auth"]
    /// The last words of names about a secret: `token_type`, `expires_in`.
    private static let about: Set = [
        "type", "endpoint", "uri", "url", "method", "scheme", "scope", "time", "at", "in", "expires",
        "expiry", "count", "limit", "length", "user", "username", "email", "name",
    ]

    private enum Meaning {
        /// A secret of at least this length.
        case secret(Int)
        case about, other
    }

    /// The token of a page may be a short number.
    private func meaning(of name: String) -> Meaning {
        if authorization.isSecret(name) { return .secret(1) }
        let tokens = [authorization.accessTokenMember, authorization.refreshTokenMember]
        if tokens.contains(where: { $0 == name || $0.hasSuffix(".\(name)") }) { return .secret(6) }
        let words = Self.words(of: name)
        if words.last.map(Self.about.contains) == true { return .about }
        let plain = words.joined()
        if Self.parts.contains(where: plain.contains) || !Self.words.isDisjoint(with: words) {
            return .secret(1)
        }
        return SecretName.matches(plain) ? .secret(6) : .other
    }

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

    /// True for the value of a member, a field of a form, or an item of a query.
    func isSecret(_ name: String, _ value: String) -> Bool {
        guard case .secret(let shortest) = meaning(of: name) else { return false }
        return !value.isEmpty && value.utf8.count >= shortest
    }

    func isSecret(_ field: HTTPFields.Field) -> Bool {
        credentialFields.contains(field.name.lowercased()) || field.shownValue != field.value
            || isSecret(field.name, field.value)
    }

    /// The name that counts for a member: its own, or that of the secret that it is part of.
    func name(of member: String, under outer: String) -> String {
        switch meaning(of: member) {
        case .secret: member
        case .about: ""
        case .other: outer
        }
    }
}
