@_spi(Host) internal import AtriumKit

/// Finds secrets in a text, in the encodings in which servers and libraries repeat what they were sent.
///
/// A secret has several forms: itself, composed, decomposed and in Latin-1, its Base64 and its digits in
/// hexadecimal. The text is read as it is, and with the encodings of URLs, JSON, Python and HTML removed once and
/// twice. A form that is cut before dots counts too.
struct SecretFinder: Sendable {
    private struct Form: Hashable {
        let bytes: [UInt8]
        /// The text in its place.
        let standIn: String
        /// True for Base64, whose first and last characters depend on the bytes around the secret.
        var isPart = false
    }

    private let forms: [Form]
    /// The number of characters that show that a text is cut at a secret.
    private static let shortestStart = 4

    init(_ secrets: [String]) {
        self.init(standIns: Dictionary(secrets.map { ($0, "(hidden)") }) { $1 })
    }

    /// Finds the keys; each has its text in its place.
    init(standIns: [String: String]) {
        forms = Set(standIns.filter { !$0.key.isEmpty }.flatMap(Self.forms)).sorted {
            ($0.bytes.count, $0.standIn) > ($1.bytes.count, $1.standIn)
        }
    }

    private static func forms(of secret: String, _ standIn: String) -> [Form] {
        let bytes = Array(secret.utf8)
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let texts =
            [secret, secret.normalized, secret.decomposed] + (bytes.count < 3 ? [] : [hex, hex.uppercased()])
        let parts = Base64.parts(of: bytes).filter { $0.utf8.count >= shortestStart }
        return texts.flatMap { [Array($0.utf8), inLatin1($0)] }.map { Form(bytes: $0, standIn: standIn) }
            + parts.map { Form(bytes: Array($0.utf8), standIn: standIn, isPart: true) }
    }

    /// Latin-1 as far as it has the characters; Python and old servers write the others as escapes.
    private static func inLatin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { $0.value < 0x100 ? [UInt8($0.value)] : Array(String($0).utf8) }
    }

    /// The text with the stand-in of each secret, usually `(hidden)`.
    func hiding(_ text: String) -> String {
        guard !forms.isEmpty else { return text }
        let whole = DecodedText(text)
        let once = whole.decoded()
        let found = ([whole] + once + once.flatMap { $0.decoded() }).flatMap(ranges)
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
        guard !found.isEmpty else { return text }
        var (result, index) = ([UInt8](), 0)
        for (range, standIn) in found where range.upperBound > index {
            if range.lowerBound >= index {
                result += whole.bytes[index..<range.lowerBound] + standIn.utf8
            }
            index = range.upperBound
        }
        return String(decoding: result + whole.bytes[index...], as: UTF8.self)
    }

    /// The ranges of the original text that hold a form.
    private func ranges(in text: DecodedText) -> [(range: Range<Int>, standIn: String)] {
        forms.flatMap { form in
            var (found, index) = ([(range: Range<Int>, standIn: String)](), 0)
            while let start = text.bytes[index...].firstIndex(of: form.bytes[0]) {
                index = start + 1
                guard var end = Self.end(of: form.bytes, in: text.bytes, at: start) else { continue }
                var start = start
                if form.isPart {
                    while start > 0, Base64.isCharacter(text.bytes[start - 1]) { start -= 1 }
                    while end < text.bytes.count, Base64.isCharacter(text.bytes[end]) { end += 1 }
                }
                found.append((text.origins[start]..<text.origins[end], form.standIn))
                index = end
            }
            return found
        }
    }

    /// The end of a form, or of its beginning if the text is cut there; nil if the text has something else.
    private static func end(of form: [UInt8], in text: [UInt8], at start: Int) -> Int? {
        let count = zip(form, text[start...]).prefix { $0 == $1 }.count
        let end = start + count
        if count == form.count { return end }
        let isCut = text[end...].starts(with: "...".utf8) || text[end...].starts(with: "…".utf8)
        return count >= shortestStart && isCut ? end : nil
    }
}

/// A text, or what it encodes.
private struct DecodedText {
    private(set) var bytes: [UInt8]
    /// The offset of each byte in the original text, and of its end.
    private(set) var origins: [Int]

    init(_ text: String) {
        bytes = Array(text.utf8)
        origins = Array(0...bytes.count)
    }

    /// An encoding: the bytes that are encoded at an index, and the index after them; nil if none are.
    private typealias Encoding = (ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)?

    /// The texts that the text encodes, by each encoding that it has.
    func decoded() -> [DecodedText] {
        let encodings: [(marks: String, decode: Encoding)] = [
            ("%", Self.percent), ("%+", Self.form), ("\\", Self.escape), ("&", Self.entity),
        ]
        return encodings.compactMap { marks, decode in
            bytes.contains(where: marks.utf8.contains) ? removing(marks, decode) : nil
        }
    }

    private func removing(_ marks: String, _ decode: Encoding) -> DecodedText? {
        var text = self
        (text.bytes, text.origins) = ([], [])
        var index = 0
        while index < bytes.count {
            let found = marks.utf8.contains(bytes[index]) ? decode(bytes[index...]) : nil
            let added = found?.bytes ?? [bytes[index]]
            text.bytes += added
            text.origins += added.map { _ in origins[index] }
            index = found?.end ?? index + 1
        }
        text.origins.append(origins[index])
        return text.bytes == bytes ? nil : text
    }

    /// Reads `%C3%A9`.
    private static func percent(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)? {
        number(text.dropFirst().prefix(2), count: 2, radix: 16).map { ([UInt8($0)], text.startIndex + 3) }
    }

    private static func form(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)? {
        text.first == UInt8(ascii: "+") ? ([0x20], text.startIndex + 1) : percent(text)
    }

    /// Reads `\"`, `\n`, `\u00e9`, `\u{e9}`, `\xe9`, `\303`, `\U000000e9`.
    private static func escape(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)? {
        guard let letter = text.dropFirst().first else { return nil }
        let (rest, end) = (text.dropFirst(2), text.startIndex + 2)
        let controls: [UInt8: UInt8] = [98: 8, 102: 12, 110: 10, 114: 13, 116: 9]
        switch letter {
        case UInt8(ascii: "u"):
            if rest.first == UInt8(ascii: "{"), let close = rest.prefix(8).firstIndex(of: UInt8(ascii: "}")) {
                let digits = rest[(end + 1)..<close]
                return number(digits, count: digits.count, radix: 16).flatMap(utf8).map { ($0, close + 1) }
            }
            guard let unit = number(rest.prefix(4), count: 4, radix: 16) else { return nil }
            guard (0xD800..<0xDC00).contains(unit) else { return utf8(unit).map { ($0, end + 4) } }
            let second = rest.dropFirst(4)
            guard second.starts(with: "\\u".utf8),
                let low = number(second.dropFirst(2).prefix(4), count: 4, radix: 16), low >= 0xDC00
            else { return nil }
            return utf8(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)).map { ($0, end + 10) }
        case UInt8(ascii: "U"):
            return number(rest.prefix(8), count: 8, radix: 16).flatMap(utf8).map { ($0, end + 8) }
        case UInt8(ascii: "x"):
            return number(rest.prefix(2), count: 2, radix: 16).map { ([UInt8($0)], end + 2) }
        case UInt8(ascii: "0")...UInt8(ascii: "3"):
            return number(text.dropFirst().prefix(3), count: 3, radix: 8).map { ([UInt8($0)], end + 2) }
        default: return letter < 0x80 ? ([controls[letter] ?? letter], end) : nil
        }
    }

    /// Reads `&quot;`, `&#34;`, `&#x22;`.
    private static func entity(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], end: Int)? {
        guard let end = text.prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self).lowercased()
        let names = ["quot": 34, "amp": 38, "apos": 39, "lt": 60, "gt": 62] as [String: UInt32]
        let isHexadecimal = name.hasPrefix("#x")
        let value =
            name.hasPrefix("#")
            ? UInt32(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10) : names[name]
        return value.flatMap(utf8).map { ($0, end + 1) }
    }

    private static func utf8(_ value: UInt32) -> [UInt8]? {
        Unicode.Scalar(value).map { Array(String($0).utf8) }
    }

    private static func number(_ digits: ArraySlice<UInt8>, count: Int, radix: Int) -> UInt32? {
        guard digits.count == count, count > 0,
            digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
        else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: radix)
    }
}

/// Base64 (RFC 4648), with both alphabets.
private enum Base64 {
    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func isCharacter(_ byte: UInt8) -> Bool { letters.contains(byte) || "-_=".utf8.contains(byte) }

    /// The Base64 of bytes as part of a longer text, which is one of three, without the characters that depend on
    /// the bytes around.
    static func parts(of bytes: [UInt8]) -> [String] {
        (0..<3).flatMap { offset -> [String] in
            var (part, bits, count) = ([UInt8](), 0, 0)
            for byte in [UInt8](repeating: 0, count: offset) + bytes {
                (bits, count) = ((bits << 8 | Int(byte)) & 0xFFFF, count + 8)
                while count >= 6 {
                    count -= 6
                    part.append(letters[bits >> count & 63])
                }
            }
            let text = String(decoding: part.dropFirst(offset == 0 ? 0 : offset + 1), as: UTF8.self)
            let forURLs = text.replacing("+", with: "-").replacing("/", with: "_")
            return text == forURLs ? [text] : [text, forURLs]
        }
    }
}
