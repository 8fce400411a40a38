@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Decides by their names which values of requests and answers are secrets: members of JSON with all below them,
/// fields, items of forms and of the queries of URLs, wherever these are.
struct SecretRule: Sendable {
    let authorization: APIConventions.Authorization
    let credentialFields: [String]

    /// The rule for an API, or for one that is not known.
    init(_ configuration: APIConfiguration?) {
        authorization = configuration?.conventions.authorization ?? APIConventions().authorization
        let usual = HTTPRequest(.get, "").credentialFields
        credentialFields = (configuration?.wire.credentialFields ?? usual).map { $0.lowercased() }
    }

    /// What the name of a secret has, beside ``SecretName/words``, without signs between.
    private static let parts = [
        "passwd", "passphrase", "apikey", "accesskey", "privatekey", "sessionid", "credential",
        "authorization",
    ]
    private static let words: Set = ["pwd", "jwt", "otp", "pin", "auth"]
    /// The last words of names about a secret: `token_type`, `expires_in`.
    private static let about: Set = [
        "type", "endpoint", "uri", "url", "method", "scheme", "scope", "time", "at", "in", "expires",
        "expiry",
        "count", "limit", "length", "user", "username", "email", "name",
    ]

    private enum Meaning: Equatable {
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
        let plain = words.joined()
        if words.last.map(Self.about.contains) == true
            || ["type", "endpoint", "uri", "url"].contains(where: plain.hasSuffix)
        {
            return .about
        }
        let isSecret =
            Self.parts.contains(where: plain.contains) || !Self.words.isDisjoint(with: words)
            || plain.contains("password") || plain.contains("secret")
        return isSecret ? .secret(1) : SecretName.matches(plain) ? .secret(6) : .other
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

// MARK: - The secrets of an exchange

extension SecretRule {
    func values(in exchange: RecordedExchange) -> [String] {
        let fields = exchange.requestFields.fields + exchange.responseFields.fields
        return values(inRequestOf: exchange)
            + fields.flatMap { isSecret($0) ? parts($0) : named(in: $0.value).map(\.value) }
            + values(in: exchange.responseBody) + named(in: exchange.failure?.message ?? "").map(\.value)
    }

    /// The secrets in the URL and the body of a request.
    func values(inRequestOf exchange: RecordedExchange) -> [String] {
        named(in: exchange.url).map(\.value) + values(in: exchange.requestBody)
    }

    private func values(in body: RecordedExchange.Body) -> [String] {
        guard case .text(let text) = body else { return [] }
        return values(in: text)
    }

    private func values(in text: String) -> [String] {
        JSONValue(body: text).map { values(in: $0, name: "") } ?? named(in: text).map(\.value)
    }

    private func values(in json: JSONValue, name: String) -> [String] {
        switch json {
        case .string(let text):
            isSecret(name, text) ? Credentials(text).secrets : values(in: text)
        case .integer(let number): isSecret(name, "\(number)") ? ["\(number)"] : []
        case .array(let items): items.flatMap { values(in: $0, name: name) }
        case .object(let object):
            object.members.flatMap { values(in: $0.value, name: self.name(of: $0.key, under: name)) }
        case .null, .bool, .number: []
        }
    }

    /// The credentials of a field: `Bearer TOKEN`, `a=SECRET; b=SECRET`.
    private func parts(_ field: HTTPFields.Field) -> [String] {
        switch field.name.lowercased() {
        case "cookie", "set-cookie":
            let pairs = field.value.split(separator: ";").prefix(field.name.count == 6 ? .max : 1)
            return pairs.compactMap {
                $0.split(separator: "=", maxSplits: 1).dropFirst().first.map(String.init)
            }
            .filter { $0.utf8.count >= 6 }
        default:
            return Credentials(field.value).secrets
                + (field.value.split(separator: " ").last.map { [String($0)] } ?? [])
        }
    }

    /// The secrets of `name=value` and `://user:password@` in a text, with their places, decoded.
    func named(in text: String) -> [(range: Range<Int>, value: String)] {
        let bytes = Array(text.utf8)
        var (found, index) = ([(range: Range<Int>, value: String)](), 0)
        var meanings: [ArraySlice<UInt8>: Meaning] = [:]
        while let sign = bytes[index...].firstIndex(where: {
            $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "@")
        }) {
            let start = index
            index = sign + 1
            let before = bytes[start..<sign]
            if bytes[sign] == UInt8(ascii: "@") {
                guard let password = Self.password(before) else { continue }
                found.append((password, Self.decoded(bytes[password])))
                continue
            }
            let name = before.suffix(before.suffix(100).reversed().prefix(while: Self.isInName).count)
            guard !name.isEmpty else { continue }
            let meaning = meanings[name] ?? meaning(of: Self.decoded(name))
            meanings[name] = meaning
            guard case .secret(let shortest) = meaning else { continue }
            var value = bytes[index...].prefix { $0 > 32 && !"&#\"<>".utf8.contains($0) }
            // The end of a sentence.
            let ends = value.contains(UInt8(ascii: "(")) ? ";,.'\\" : ";,.)'\\"
            while let last = value.last, ends.utf8.contains(last) { value.removeLast() }
            let text = Self.decoded(value)
            guard !text.isEmpty, text.utf8.count >= shortest else { continue }
            found.append((value.startIndex..<value.endIndex, text))
            index = value.endIndex
        }
        return found
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_-.%[]+~".utf8.contains(byte)
    }

    /// The password at the end of `https://user:password`; nil for another text.
    private static func password(_ text: ArraySlice<UInt8>) -> Range<Int>? {
        let user = text.suffix(1000).reversed().prefix { $0 > 32 && !"/?#\"<>".utf8.contains($0) }
        let start = text.endIndex - user.count
        guard text[..<start].suffix(3).elementsEqual("://".utf8),
            let colon = text[start...].firstIndex(of: UInt8(ascii: ":")), colon + 1 < text.endIndex
        else { return nil }
        return colon + 1..<text.endIndex
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(where: "%+".utf8.contains) else { return text }
        return FormText.pairs("text=\(text)").first?.value ?? text
    }
}

/// The value of a field of credentials: `Bearer TOKEN`; the scheme may be missing.
private struct Credentials {
    let scheme: String
    let secret: String

    init(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        let schemes = ["bearer", "basic", "digest", "token", "apikey", "negotiate"]
        let hasScheme = words.count == 2 && schemes.contains(words[0].lowercased())
        scheme = hasScheme ? words[0] + " " : ""
        secret = hasScheme ? String(words[1]) : text
    }

    /// The secret, and the password in that of `Basic`.
    var secrets: [String] {
        guard scheme.lowercased() == "basic ", let data = Data(base64Encoded: secret) else { return [secret] }
        let pair = String(decoding: data, as: UTF8.self)
        return [secret] + pair.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
    }
}

/// The secrets of a recording, each with its stand-in, so that equal secrets stay equal: `redacted-1`.
struct RecordedSecrets: Sendable {
    private static let standIn = "redacted-"
    private static let hiddenText = "(hidden)"
    private var standIns: [String: String] = [:]
    private var finder = SecretFinder([])
    /// The highest number of a stand-in.
    private var count = 0

    /// Begins after the stand-ins of earlier entries.
    init(after entries: [String] = []) {
        for entry in entries {
            for part in entry.split(separator: Self.standIn, omittingEmptySubsequences: false).dropFirst() {
                count = max(count, Int(part.prefix { $0.isASCII && $0.isNumber }.prefix(9)) ?? 0)
            }
        }
    }

    /// Adds secrets; true if one is new.
    mutating func add(_ secrets: [String]) -> Bool {
        let new = secrets.filter { !$0.isEmpty && standIns[$0] == nil && !Self.isStandIn($0) }
        for secret in new where standIns[secret] == nil {
            count += 1
            standIns[secret] = Self.standIn + "\(count)"
        }
        if !new.isEmpty { finder = SecretFinder(standIns: standIns.filter { Self.isDistinct($0.key) }) }
        return !new.isEmpty
    }

    /// True for a secret of a recording that is continued, or replayed while another is made.
    fileprivate static func isStandIn(_ text: String) -> Bool {
        guard text.hasPrefix(standIn) else { return text == hiddenText }
        let number = text.dropFirst(standIn.count)
        return !number.isEmpty && number.allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// False for a secret that other texts have by chance, so it is only hidden by its name.
    private static func isDistinct(_ secret: String) -> Bool {
        secret.utf8.count >= 6 && !standIn.contains(secret) && !hiddenText.contains(secret)
    }

    /// The exchange without the secrets.
    func hidden(_ exchange: RecordedExchange, _ rule: SecretRule) -> RecordedExchange {
        HiddenSecrets(rule: rule, finder: finder, standIns: standIns).hiding(exchange)
    }

    /// Hides the secrets of a request without telling them apart.
    static func unnumbered(_ exchange: RecordedExchange, _ rule: SecretRule) -> HiddenSecrets {
        let secrets = rule.values(inRequestOf: exchange).filter { isDistinct($0) && !isStandIn($0) }
        return HiddenSecrets(rule: rule, finder: SecretFinder(secrets), standIns: [:])
    }

    /// A text with `(hidden)` for each stand-in.
    static func withoutStandIns(_ text: String) -> String {
        text.split(separator: standIn, omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index > 0 else { return String(part) }
            let rest = part.drop { $0.isASCII && $0.isNumber }
            return rest.count < part.count ? hiddenText + rest : standIn + part
        }.joined()
    }
}

/// Hides secrets by value, and those that a name tells in their place.
struct HiddenSecrets {
    fileprivate let rule: SecretRule
    fileprivate let finder: SecretFinder
    fileprivate let standIns: [String: String]

    private func standIn(_ secret: String) -> String {
        RecordedSecrets.isStandIn(secret) ? secret : standIns[secret] ?? "(hidden)"
    }

    fileprivate func hiding(_ exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        exchange.url = hiding(url: exchange.url)
        exchange.requestFields = hidden(exchange.requestFields)
        exchange.requestBody = hidden(exchange.requestBody)
        exchange.responseFields = hidden(exchange.responseFields)
        exchange.responseBody = hidden(exchange.responseBody)
        exchange.failure = exchange.failure.map {
            TransportError(
                $0.code, hiding($0.message), hint: $0.hint.map { hiding($0) }, neverSent: $0.neverSent)
        }
        return exchange
    }

    private func hidden(_ fields: HTTPFields) -> HTTPFields {
        fields.fields.reduce(into: HTTPFields()) {
            $0.append($1.name, rule.isSecret($1) ? "(hidden)" : hiding($1.value))
        }
    }

    /// A URL without secrets; the name of the server stays.
    func hiding(url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let end = url[start...].firstIndex(where: "/?#".contains) ?? url.endIndex
        return hidingNamed(String(url[..<end])) + hiding(String(url[end...]))
    }

    /// A text without secrets; JSON stays JSON.
    func hiding(_ text: String) -> String {
        guard let json = JSONValue(body: text) else { return hidingNamed(finder.hiding(text)) }
        let hidden = hiding(json, name: "")
        return hidden == json ? text : hidden.serialized
    }

    private func hidingNamed(_ text: String) -> String {
        let found = rule.named(in: text)
        guard !found.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var (result, index) = ([UInt8](), 0)
        for (range, value) in found {
            result += bytes[index..<range.lowerBound] + standIn(value).utf8
            index = range.upperBound
        }
        return String(decoding: result + bytes[index...], as: UTF8.self)
    }

    private func hidden(_ body: RecordedExchange.Body) -> RecordedExchange.Body {
        guard case .text(let text) = body else { return body }
        return .text(hiding(text))
    }

    /// JSON without secrets; secret numbers become 0.
    func hiding(_ json: JSONValue, name: String) -> JSONValue {
        switch json {
        case .string(let text):
            guard rule.isSecret(name, text) else { return .string(hiding(text)) }
            let credentials = Credentials(text)
            return .string(credentials.scheme + standIn(credentials.secret))
        case .integer(let number): return rule.isSecret(name, "\(number)") ? 0 : json
        case .number(let number): return rule.isSecret(name, "\(number)") ? 0 : json
        case .array(let items): return .array(items.map { hiding($0, name: name) })
        case .object(let object):
            return .object(
                object.members.reduce(into: [:]) {
                    $0[finder.hiding($1.key)] = hiding($1.value, name: rule.name(of: $1.key, under: name))
                })
        case .null, .bool: return json
        }
    }
}

/// Names and values in the form of a URL's query.
enum FormText {
    /// The decoded pairs; empty if the text has another form.
    static func pairs(_ text: String) -> [(name: String, value: String)] {
        guard text.contains("="),
            let items = URLComponents(
                string: "?" + text.replacing("+", with: "%20"))?.queryItems
        else { return [] }
        return items.map { ($0.name, $0.value ?? "") }
    }
}

extension JSONValue {
    /// The object or array that a body has; nil for another text.
    init?(body text: String) {
        guard let first = text.utf8.first(where: { $0 > 32 }), "{[".utf8.contains(first),
            let json = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        else { return nil }
        self = json
    }
}
