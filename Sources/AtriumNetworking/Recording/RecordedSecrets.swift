@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Decides by their names which values of requests and answers are secrets.
struct SecretRule: Sendable {
    let authorization: APIConventions.Authorization
    let credentialFields: [String]

    init(_ configuration: APIConfiguration) {
        authorization = configuration.conventions.authorization
        let usual = HTTPRequest(.get, "").credentialFields
        credentialFields = (configuration.wire.credentialFields ?? usual).map { $0.lowercased() }
    }

    /// True for the value of a member, a field of a form, or an item of a query.
    ///
    /// The token of a page may be a short number, which also occurs elsewhere; `token_type` is none.
    func isSecret(_ name: String, _ value: String) -> Bool {
        let plain = name.lowercased()
        guard !value.isEmpty, !["type", "endpoint", "uri", "url"].contains(where: plain.hasSuffix) else {
            return false
        }
        if authorization.isSecret(name) || plain.contains("password") || plain.contains("secret") {
            return true
        }
        let tokens = [authorization.accessTokenMember, authorization.refreshTokenMember]
        let isToken = SecretName.matches(name) || tokens.contains { $0 == name || $0.hasSuffix(".\(name)") }
        return isToken && value.utf8.count >= 6
    }

    func isSecret(_ field: HTTPFields.Field) -> Bool {
        credentialFields.contains(field.name.lowercased()) || field.shownValue != field.value
    }

    /// The secrets of an exchange.
    func values(in exchange: RecordedExchange) -> [String] {
        values(inRequestOf: exchange)
            + (exchange.requestFields.fields + exchange.responseFields.fields).filter(isSecret).flatMap(parts)
            + values(in: exchange.responseBody)
    }

    /// The secrets in the URL and the body of a request.
    func values(inRequestOf exchange: RecordedExchange) -> [String] {
        let query = exchange.url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        return secrets(FormText.pairs(query)) + values(in: exchange.requestBody)
    }

    private func values(in body: RecordedExchange.Body) -> [String] {
        guard case .text(let text) = body else { return [] }
        if let json = JSONValue(body: text) { return SecretMembers.values(in: json, isSecret) }
        return secrets(FormText.pairs(text))
    }

    private func secrets(_ pairs: [(name: String, value: String)]) -> [String] {
        pairs.filter { isSecret($0.name, $0.value) }.map(\.value)
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
            return [field.value.split(separator: " ").last.map(String.init) ?? ""]
        }
    }
}

/// The secrets of a recording, each with its stand-in, so that equal secrets stay equal: `redacted-1`.
struct RecordedSecrets: Sendable {
    private static let standIn = "redacted-"
    private var standIns: [String: String] = [:]
    private var finder = SecretFinder([])

    /// Adds secrets; true if one is new.
    mutating func add(_ secrets: [String]) -> Bool {
        let new = secrets.filter { !$0.isEmpty && standIns[$0] == nil && !Self.isStandIn($0) }
        for secret in new where standIns[secret] == nil {
            standIns[secret] = Self.standIn + "\(standIns.count + 1)"
        }
        if !new.isEmpty { finder = SecretFinder(standIns: standIns) }
        return !new.isEmpty
    }

    /// True for a secret of a recording that is replayed while another is made.
    private static func isStandIn(_ text: String) -> Bool {
        text.hasPrefix(standIn) && !text.dropFirst(standIn.count).contains { !$0.isNumber }
    }

    /// The exchange without the secrets.
    func hidden(_ exchange: RecordedExchange, _ rule: SecretRule) -> RecordedExchange {
        var exchange = exchange
        exchange.url = finder.hiding(exchange.url)
        exchange.requestFields = hidden(exchange.requestFields, rule)
        exchange.requestBody = finder.hiding(exchange.requestBody, rule)
        exchange.responseFields = hidden(exchange.responseFields, rule)
        exchange.responseBody = finder.hiding(exchange.responseBody, rule)
        exchange.failure = exchange.failure.map {
            TransportError(
                $0.code, finder.hiding($0.message), hint: $0.hint.map(finder.hiding), neverSent: $0.neverSent)
        }
        return exchange
    }

    private func hidden(_ fields: HTTPFields, _ rule: SecretRule) -> HTTPFields {
        fields.fields.reduce(into: HTTPFields()) {
            $0.append($1.name, rule.isSecret($1) ? "(hidden)" : finder.hiding($1.value))
        }
    }

    /// A text with `(hidden)` for each stand-in.
    static func withoutStandIns(_ text: String) -> String {
        text.split(separator: standIn, omittingEmptySubsequences: false).enumerated().map { index, part in
            guard index > 0 else { return String(part) }
            let rest = part.drop { $0.isASCII && $0.isNumber }
            return rest.count < part.count ? "(hidden)" + rest : standIn + part
        }.joined()
    }
}

extension SecretFinder {
    /// A body without the secrets; JSON stays JSON.
    func hiding(_ body: RecordedExchange.Body, _ rule: SecretRule) -> RecordedExchange.Body {
        guard case .text(let text) = body else { return body }
        guard let json = JSONValue(body: text) else { return .text(hiding(text)) }
        let hidden = hiding(json, rule, name: "")
        return .text(hidden == json ? text : hidden.serialized)
    }

    /// JSON without the secrets; secret numbers become 0.
    func hiding(_ json: JSONValue, _ rule: SecretRule, name: String) -> JSONValue {
        switch json {
        case .string(let text): .string(hiding(text))
        case .integer(let number): rule.isSecret(name, "\(number)") ? 0 : json
        case .number(let number): rule.isSecret(name, "\(number)") ? 0 : json
        case .array(let items): .array(items.map { hiding($0, rule, name: name) })
        case .object(let object):
            .object(
                object.members.reduce(into: [:]) { $0[hiding($1.key)] = hiding($1.value, rule, name: $1.key) }
            )
        case .null, .bool: json
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
