@_spi(Host) internal import AtriumKit
internal import FoundationEssentials

/// Replaces the secrets of exchanges and texts: those that a name tells in their places, and others by value.
struct SecretWalk {
    let rule: SecretRule
    /// The text in place of a secret that a name tells.
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
        let path = url[start...].firstIndex(where: "/?#".contains) ?? url.endIndex
        let query = url[path...].firstIndex(of: "?").map(url.index(after:)) ?? url.endIndex
        return named(String(url[..<path])) + prose(String(url[path..<query])) + form(String(url[query...]))
    }

    func body(_ body: RecordedExchange.Body) -> RecordedExchange.Body {
        guard case .text(let text) = body else { return body }
        return .text(self(text))
    }

    /// A text without secrets; JSON and forms keep their names.
    func callAsFunction(_ text: String) -> String {
        let isForm = text.utf8.contains(UInt8(ascii: "=")) && text.utf8.allSatisfy(Self.isInForm)
        return isForm ? form(text) : prose(text)
    }

    /// The text in place of a value with a secret name: `Bearer STAND-IN` for `Bearer TOKEN`.
    func credentials(_ value: String) -> String {
        let credentials = Credentials(value)
        credentials.secrets.dropFirst().forEach { _ = secret($0) }
        return credentials.scheme + secret(credentials.secret)
    }

    // MARK: - Forms

    private static func isInForm(_ byte: UInt8) -> Bool { isInName(byte) || "=&*".utf8.contains(byte) }

    /// The form of a body, or the query of a URL.
    private func form(_ text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { item in
            // Base64 ends with the sign.
            guard let sign = item.firstIndex(of: "="), item[sign...].contains(where: { $0 != "=" }) else {
                return prose(String(item))
            }
            let name = String(item[..<sign])
            let value = Self.decoded(String(item[item.index(after: sign)...]))
            let hidden = rule.isSecret(Self.decoded(name), value) ? secret(value) : self(value)
            guard hidden == value else { return "\(name)=\(Self.encoded(hidden))" }
            // A secret may have the sign.
            return self.text(name) == name ? self.text(String(item)) : String(item)
        }
        .joined(separator: "&")
    }

    private static func decoded(_ text: String) -> String { AtriumKit.PercentEncoding.decodeForm(text) ?? text }

    /// A value for a form; stand-ins stay readable.
    private static func encoded(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"&+%#\"<>".utf8.contains($0) }
        return isPlain ? text : PercentEncoding.component(text)
    }

    // MARK: - Other texts

    /// A text that may have JSON in it, whole or cut: JSON lines, `data: {…}`.
    private func prose(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (result, start, index) = ("", 0, 0)
        while let next = bytes[index...].firstIndex(where: "{[\"".utf8.contains) {
            guard next == 0 || bytes[next - 1] != UInt8(ascii: "\\") else {
                index = next + 1
                continue
            }
            var json = SecretJSON(walk: self, bytes: bytes)
            let end = json.read(from: next)
            guard json.hasMembers || next == 0 && end == bytes.count else {
                // The name of a member may begin with the quote at the end of another text.
                index = bytes[next] == UInt8(ascii: "\"") ? next + 1 : max(end, next + 1)
                continue
            }
            result += named(self.text(String(decoding: bytes[start..<next], as: UTF8.self))) + json.text
            (start, index) = (end, end)
        }
        return result + named(self.text(String(decoding: bytes[start...], as: UTF8.self)))
    }

    /// A text with stand-ins for the secrets of `name=value` and `://user:password@`.
    private func named(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var (result, copied, index) = ([UInt8](), 0, 0)
        func replace(_ value: ArraySlice<UInt8>, decoded: String) {
            result += bytes[copied..<value.startIndex] + secret(decoded).utf8
            copied = value.endIndex
        }
        while let sign = bytes[index...].firstIndex(where: "=@".utf8.contains) {
            let before = bytes[index..<sign]
            index = sign + 1
            if bytes[sign] == UInt8(ascii: "@") {
                guard let password = Self.password(before), password.startIndex >= copied else { continue }
                // Unlike in a form, a plus sign is itself.
                let text = String(decoding: password, as: UTF8.self)
                replace(password, decoded: Self.decoded(text.replacing("+", with: "%2B")))
                continue
            }
            let name = before.suffix(before.suffix(100).reversed().prefix(while: Self.isInName).count)
            guard !name.isEmpty else { continue }
            var value = bytes[index...].prefix { $0 > 32 && !"&#\"<>".utf8.contains($0) }
            // The end of a sentence.
            let ends = value.contains(UInt8(ascii: "(")) ? ";,.'\\" : ";,.)'\\"
            while let last = value.last, ends.utf8.contains(last) { value.removeLast() }
            let text = Self.decoded(String(decoding: value, as: UTF8.self))
            guard rule.isSecret(Self.decoded(String(decoding: name, as: UTF8.self)), text) else { continue }
            replace(value, decoded: text)
            index = value.endIndex
        }
        return copied == 0 ? text : String(decoding: result + bytes[copied...], as: UTF8.self)
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
