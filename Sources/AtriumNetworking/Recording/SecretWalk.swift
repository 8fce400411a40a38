@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Replaces the secrets of exchanges and texts: in their places if a name identifies them, and by value.
struct SecretWalk {
    let rule: SecretRule
    /// The text in place of a secret that its name identifies.
    let secret: (String) -> String
    /// A text without the secrets that are known by value.
    let text: (String) -> String

    func callAsFunction(_ exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        exchange.url = url(exchange.url)
        exchange.requestFields = fields(exchange.requestFields)
        exchange.requestBody = body(exchange.requestBody)
        exchange.responseFields = fields(exchange.responseFields)
        exchange.responseBody = body(exchange.responseBody)
        exchange.failure = exchange.failure.map {
            TransportError(
                $0.code, self($0.message), hint: $0.hint.map { self($0) }, neverSent: $0.neverSent)
        }
        return exchange
    }

    private func fields(_ fields: HTTPFields) -> HTTPFields {
        fields.fields.reduce(into: HTTPFields()) { result, field in
            guard rule.isSecret(field) else { return result.append(field.name, self(field.value)) }
            credentials(of: field).forEach { _ = secret($0) }
            result.append(field.name, "(hidden)")
        }
    }

    /// The credentials of a field: `Bearer TOKEN`, `a=SECRET; b=SECRET`.
    private func credentials(of field: HTTPFields.Field) -> [String] {
        switch field.name.lowercased() {
        case _ where rule.isIdempotencyKey(field): return []
        case "cookie", "set-cookie":
            let pairs = field.value.split(separator: ";").prefix(field.name.count == 6 ? .max : 1)
            return pairs.compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
                .map(String.init).filter { $0.utf8.count >= 6 }
        default:
            let last = field.value.split(separator: " ").last.map(String.init)
            return Credentials(field.value).secrets + [last].compactMap(\.self)
        }
    }

    /// A URL without secrets; the name of the server stays.
    func url(_ url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let end = url[start...].firstIndex(where: "/?#".contains) ?? url.endIndex
        return named(String(url[..<end])) + self(String(url[end...]))
    }

    func body(_ body: RecordedExchange.Body) -> RecordedExchange.Body {
        switch body {
        case .text(let text): .text(self(text))
        case .form(let form): .form(form.hidden(by: self))
        case .none, .bytes, .missing: body
        }
    }

    /// The value of a form's field without secrets.
    func value(_ value: RecordedExchange.Body, of name: String) -> RecordedExchange.Body {
        switch value {
        case .text(let text) where rule.isSecret(name, text): .text(credentials(text))
        case .bytes(let bytes) where rule.isSecret(name, String(decoding: bytes, as: UTF8.self)):
            .text("(hidden)")
        default: body(value)
        }
    }

    /// A text without secrets; JSON stays JSON, also in lines of its own.
    func callAsFunction(_ text: String) -> String {
        if let json = JSONValue(body: text) {
            let hidden = hiding(json, "")
            return hidden == json ? text : hidden.serialized
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count > 1, lines.contains(where: { JSONValue(body: $0) != nil }) else {
            return named(self.text(text))
        }
        return lines.map { self($0) }.joined(separator: "\n")
    }

    /// JSON without secrets, which belongs to a name, if it has one; secret numbers become 0.
    func hiding(_ json: JSONValue, _ name: String) -> JSONValue {
        switch json {
        case .string(let text): .string(rule.isSecret(name, text) ? credentials(text) : self(text))
        case .integer(let number): isSecret("\(number)", name) ? 0 : json
        case .number(let number): isSecret("\(number)", name) ? 0 : json
        case .array(let items): .array(items.map { hiding($0, name) })
        case .object(let object):
            .object(
                object.members.reduce(into: [:]) {
                    $0[$1.key] = hiding($1.value, rule.name(of: $1.key, under: name))
                })
        case .null, .bool: json
        }
    }

    /// True for a number that is secret by its name or its value.
    private func isSecret(_ number: String, _ name: String) -> Bool {
        guard rule.isSecret(name, number) else { return text(number) != number }
        if number != "0" { _ = secret(number) }
        return true
    }

    /// The text in place of a value with a secret name: `Bearer STAND-IN` for `Bearer TOKEN`.
    private func credentials(_ value: String) -> String {
        let credentials = Credentials(value)
        credentials.secrets.dropFirst().forEach { _ = secret($0) }
        return credentials.scheme + secret(credentials.secret)
    }

    // MARK: - Other texts

    /// A text with stand-ins for the secrets of `name=value`, `"name": "value"` and `://user:password@`.
    private func named(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (result, copied, index) = ([UInt8](), 0, 0)
        func replace(_ value: ArraySlice<UInt8>, by standIn: String) {
            result += bytes[copied..<value.startIndex] + standIn.utf8
            (copied, index) = (value.endIndex, max(index, value.endIndex))
        }
        while let sign = bytes[index...].firstIndex(where: "=:@".utf8.contains) {
            index = sign + 1
            if bytes[sign] == UInt8(ascii: "@") {
                guard let password = Self.password(bytes[copied..<sign]) else { continue }
                // Unlike in a form, a plus sign is itself.
                let text = String(decoding: password, as: UTF8.self)
                replace(password, by: secret(Self.decoded(text.replacing("+", with: "%2B"))))
                continue
            }
            let name = Self.name(bytes[copied..<sign])
            guard !name.isEmpty, let (value, text) = Self.value(bytes[sign...]), rule.isSecret(name, text)
            else { continue }
            replace(value, by: secret(text))
        }
        return copied == 0 ? text : String(decoding: result + bytes[copied...], as: UTF8.self)
    }

    private static let marks = Array(#" "'\"#.utf8)

    /// The name at the end of a text, which may stand in quotes.
    private static func name(_ text: ArraySlice<UInt8>) -> String {
        let text = text.suffix(100)
        guard let last = text.lastIndex(where: { !marks.contains($0) }) else { return "" }
        let name = text[...last].suffix(text[...last].reversed().prefix(while: isInName).count)
        return decoded(String(decoding: name, as: UTF8.self))
    }

    /// The value after the first character of a text, and its decoded text; nil if there is none.
    private static func value(_ text: ArraySlice<UInt8>) -> (bytes: ArraySlice<UInt8>, text: String)? {
        let marked = text.dropFirst().prefix(while: marks.contains)
        if let start = marked.firstIndex(where: "\"'".utf8.contains) {
            let (quote, backslash) = (text[start], UInt8(ascii: "\\"))
            let isEscaped = text[start - 1] == backslash
            var end = start + 1
            let ends = [quote, 10] + (isEscaped ? [backslash] : [])
            while end < text.endIndex, !ends.contains(text[end]) {
                end += text[end] == backslash ? 2 : 1
            }
            let value = text[(start + 1)..<min(end, text.endIndex)]
            let shown = String(decoding: value, as: UTF8.self)
            let json = Data("\"\(shown)\"".utf8)
            return (value, (try? JSONDecoder().decode(String.self, from: json)) ?? shown)
        }
        guard text.first == UInt8(ascii: "=") else { return nil }
        var value = text.dropFirst().prefix { $0 > 32 && !"&#\"<>".utf8.contains($0) }
        // The end of a sentence.
        let ends = value.contains(UInt8(ascii: "(")) ? ";,.'\\" : ";,.)'\\"
        while let last = value.last, ends.utf8.contains(last) { value.removeLast() }
        return (value, decoded(String(decoding: value, as: UTF8.self)))
    }

    private static func decoded(_ text: String) -> String {
        AtriumKit.PercentEncoding.decodeForm(text) ?? text
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        let letter = byte | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_-.%[]+~".utf8.contains(byte)
    }

    /// The password at the end of `https://user:password`; nil for another text.
    private static func password(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let user = text.suffix(1000).reversed().prefix { $0 > 32 && !"/?#\"<>".utf8.contains($0) }
        let start = text.endIndex - user.count
        guard text[..<start].suffix(3).elementsEqual("://".utf8),
            let colon = text[start...].firstIndex(of: UInt8(ascii: ":")), colon + 1 < text.endIndex
        else { return nil }
        return text[(colon + 1)...]
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

extension JSONValue {
    /// The object or array that a body has; nil for another text.
    init?(body text: String) {
        guard let first = text.utf8.first(where: { $0 > 32 }), "{[".utf8.contains(first),
            let json = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        else { return nil }
        self = json
    }
}
