@_spi(Host) internal import AtriumKit
internal import Synchronization

/// Decides by their names which values of requests and answers are secrets: members of JSON with all below them,
/// fields, items of forms and of the queries of URLs, wherever these are.
final class SecretRule: Sendable {
    private let authorization: APIConventions.Authorization
    private let credentialFields: [String]
    private let idempotencyField: String?
    /// The decisions so far, by name.
    private let meanings = Mutex<[String: Meaning]>([:])

    /// The rule for an API, or for one that is not known.
    init(_ configuration: APIConfiguration?) {
        authorization = configuration?.conventions.authorization ?? APIConventions().authorization
        let usual = HTTPRequest(.get, "").credentialFields
        idempotencyField = (configuration?.conventions ?? APIConventions()).idempotencyHeader?.lowercased()
        credentialFields = (configuration?.wire.credentialFields ?? usual).map { $0.lowercased() }
    }

    /// The parts of names of secrets, without signs between words.
    private static let parts = [
        "password", "passwd", "passphrase", "secret", "apikey", "accesskey", "privatekey", "sessionid",
        "credential", "authorization",
    ]
    /// The whole words in names of secrets.
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

    private func meaning(of name: String) -> Meaning {
        meanings.withLock { known in
            if let meaning = known[name] { return meaning }
            // The keys of some objects are data.
            if known.count >= 1_000 { known = [:] }
            let meaning = decide(name)
            known[name] = meaning
            return meaning
        }
    }

    /// The token of a page may be a short number.
    private func decide(_ name: String) -> Meaning {
        if authorization.isSecret(name) { return .secret(1) }
        let tokens = [authorization.accessTokenMember, authorization.refreshTokenMember]
        if tokens.contains(where: { $0 == name || $0.hasSuffix(".\(name)") }) { return .secret(6) }
        let words = Self.words(of: name)
        let plain = words.joined()
        if words.last.map(Self.about.contains) == true
            || ["type", "endpoint", "uri", "url"].contains(where: plain.hasSuffix)
        {
            return .about
        }
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

    /// True for the idempotency key of a request, which is useless for any other request.
    func isIdempotencyKey(_ field: HTTPFields.Field) -> Bool { field.name.lowercased() == idempotencyField }

    /// The name that counts for a member: its own, or that of the secret that it is part of.
    func name(of member: String, under outer: String) -> String {
        switch meaning(of: member) {
        case .secret: member
        case .about: ""
        case .other: outer
        }
    }
}
