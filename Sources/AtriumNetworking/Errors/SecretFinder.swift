/// Finds secrets in a text, in every encoding in which servers and libraries repeat what they were sent.
///
/// A secret has several forms: itself, its Base64 and its digits in hexadecimal. Each character of a form may be
/// encoded on its own: for URLs, as an escape of JSON or Python, or as an entity of HTML, also twice. A form cut at
/// the end of a text counts too.
struct SecretFinder: Sendable {
    private struct Form {
        let scalars: [Unicode.Scalar]
        /// True for Base64, whose first and last characters depend on the bytes around the secret.
        var isPart = false
    }

    /// The forms by their first character.
    private var forms: [Unicode.Scalar: [Form]] = [:]
    /// The characters that show that a text is cut at a secret.
    private static let shortestStart = 4

    init(_ secrets: [String]) {
        for secret in secrets where !secret.isEmpty {
            let bytes = Array(secret.utf8)
            add(Form(scalars: Array(secret.unicodeScalars)))
            let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            for text in [hex, hex.uppercased()] where bytes.count >= 3 {
                add(Form(scalars: Array(text.unicodeScalars)))
            }
            for text in Base64.parts(of: bytes) where text.utf8.count >= Self.shortestStart {
                add(Form(scalars: Array(text.unicodeScalars), isPart: true))
            }
        }
    }

    private mutating func add(_ form: Form) {
        if let first = form.scalars.first { forms[first, default: []].append(form) }
    }

    /// The text with `(hidden)` for each secret.
    func hiding(_ text: String) -> String {
        guard !forms.isEmpty else { return text }
        let encoded = EncodedText(text)
        var result: [UInt8] = []
        var (index, isFound) = (0, false)
        while index < encoded.bytes.count {
            guard let found = match(in: encoded, at: index) else {
                result.append(encoded.bytes[index])
                index += 1
                continue
            }
            index = found.end
            if found.isPart {
                while result.last.map(Base64.isCharacter) == true { result.removeLast() }
                while index < encoded.bytes.count, Base64.isCharacter(encoded.bytes[index]) { index += 1 }
            }
            result += Array("(hidden)".utf8)
            isFound = true
        }
        return isFound ? String(decoding: result, as: UTF8.self) : text
    }

    /// The end of the longest form that begins at an index; nil if none does.
    private func match(in text: EncodedText, at index: Int) -> (end: Int, isPart: Bool)? {
        if text.isPlain(at: index), forms[Unicode.Scalar(text.bytes[index])] == nil { return nil }
        var best: (end: Int, isPart: Bool)?
        for first in text.readings(at: index) {
            for form in forms[first.scalar] ?? [] {
                guard let end = Self.end(of: form.scalars, in: text, after: first.end), end > best?.end ?? 0
                else { continue }
                best = (end, form.isPart)
            }
        }
        return best
    }

    /// The end of a form whose first character has been read; nil if the text has another one.
    private static func end(of form: [Unicode.Scalar], in text: EncodedText, after first: Int) -> Int? {
        var ends: Set = [first]
        for (count, scalar) in form.enumerated().dropFirst() {
            let next = ends.reduce(into: Set<Int>()) { next, end in
                for reading in text.readings(at: end) where reading.scalar == scalar {
                    next.insert(reading.end)
                }
            }
            guard !next.isEmpty else {
                return count >= shortestStart ? ends.filter(text.isCut).max() : nil
            }
            ends = next
        }
        return ends.max()
    }
}

/// The bytes of a text, and the characters that they may encode.
private struct EncodedText {
    struct Reading {
        let scalar: Unicode.Scalar
        let end: Int

        init?(_ value: UInt32, _ end: Int) {
            guard let scalar = Unicode.Scalar(value) else { return nil }
            (self.scalar, self.end) = (scalar, end)
        }
    }

    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// True if an index has a character that means nothing but itself.
    func isPlain(at index: Int) -> Bool { bytes[index] < 0x80 && !"+%\\&".utf8.contains(bytes[index]) }

    /// What may begin at an index; nothing at the end.
    func readings(at index: Int) -> [Reading] {
        guard index < bytes.count else { return [] }
        let byte = bytes[index]
        let literal = byte < 0x80 ? Reading(UInt32(byte), index + 1) : wideScalar(at: index, plain)
        let encoded: [Reading?] =
            switch byte {
            case UInt8(ascii: "+"): [Reading(0x20, index + 1)]
            case UInt8(ascii: "%"): percent(at: index)
            case UInt8(ascii: "\\"): escape(at: index)
            case UInt8(ascii: "&"): entity(at: index)
            default: []
            }
        return ([literal] + encoded).compactMap(\.self)
    }

    /// True if a text that ends here, or a string in it, may have been cut.
    func isCut(at index: Int) -> Bool {
        let rest = bytes[index...].prefix(3)
        return rest.isEmpty || rest.first == UInt8(ascii: "\"") || rest.starts(with: "..".utf8)
            || rest.starts(with: "…".utf8)
    }

    /// Reads `%C3%A9`, and `%25C3%25A9`, which is the same encoded twice.
    private func percent(at index: Int) -> [Reading?] {
        [false, true].flatMap { isTwice in
            scalars(at: index) { index in
                guard has("%", at: index) else { return nil }
                var digits = index + 1
                while isTwice, has("25", at: digits), number(of: 2, at: digits + 2) != nil { digits += 2 }
                return number(of: 2, at: digits).map { (UInt8($0), digits + 2) }
            }
        }
    }

    /// Reads `\"`, `\n`, `\u00e9`, `\xc3\xa9`, `\xe9`, `\U000000e9`, after any number of backslashes.
    private func escape(at index: Int) -> [Reading?] {
        let count = bytes[index...].prefix { $0 == UInt8(ascii: "\\") }.count
        let next = index + count
        let doubled = [2, 4].filter { $0 <= count }.map { Reading(0x5C, index + $0) }
        guard next < bytes.count else { return doubled }
        switch bytes[next] {
        case UInt8(ascii: "u"): return doubled + [utf16(at: index)]
        case UInt8(ascii: "U"):
            return doubled + [number(of: 8, at: next + 1).flatMap { Reading($0, next + 9) }]
        case UInt8(ascii: "x"):
            return doubled
                + scalars(at: index) { index in
                    guard let mark = marked("x", at: index) else { return nil }
                    return number(of: 2, at: mark).map { (UInt8($0), mark + 2) }
                }
        case let byte where byte < 0x80:
            let controls: [UInt8: UInt32] = [98: 8, 102: 12, 110: 10, 114: 13, 116: 9]
            return doubled + [Reading(controls[byte] ?? UInt32(byte), next + 1)]
        default: return doubled
        }
    }

    /// Reads one or two units of UTF-16.
    private func utf16(at index: Int) -> Reading? {
        guard let mark = marked("u", at: index), let unit = number(of: 4, at: mark) else { return nil }
        guard (0xD800..<0xDC00).contains(unit) else { return Reading(unit, mark + 4) }
        guard let mark = marked("u", at: mark + 4), let low = number(of: 4, at: mark), low >= 0xDC00 else {
            return nil
        }
        return Reading(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), mark + 4)
    }

    /// Reads `&quot;`, `&#34;`, `&#x22;`, also with `&amp;` in place of the sign.
    private func entity(at index: Int) -> [Reading?] {
        let names = ["quot": 34, "amp": 38, "apos": 39, "lt": 60, "gt": 62] as [String: UInt32]
        var (found, start) = ([Reading?](), index + 1)
        while start < bytes.count, let end = bytes[start...].prefix(12).firstIndex(of: UInt8(ascii: ";")) {
            let name = String(decoding: bytes[start..<end], as: UTF8.self).lowercased()
            let digits = name.dropFirst(name.hasPrefix("#x") ? 2 : 1)
            let value =
                name.hasPrefix("#") ? UInt32(digits, radix: name.hasPrefix("#x") ? 16 : 10) : names[name]
            if let value { found.append(Reading(value, end + 1)) }
            guard name == "amp" else { break }
            start = end + 1
        }
        return found
    }

    // MARK: - Parts

    /// A character of which a function reads the bytes: of UTF-8, or of Latin-1.
    private func scalars(at index: Int, _ byte: (Int) -> (UInt8, Int)?) -> [Reading?] {
        guard let (first, end) = byte(index) else { return [] }
        return [Reading(UInt32(first), end), first < 0xC2 ? nil : wideScalar(at: index, byte)]
    }

    /// A character of several bytes of UTF-8.
    private func wideScalar(at index: Int, _ byte: (Int) -> (UInt8, Int)?) -> Reading? {
        guard let (first, end) = byte(index), first >= 0xC2, first < 0xF5 else { return nil }
        var (units, next) = ([first], end)
        for _ in 1..<(first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4) {
            guard let (unit, end) = byte(next), unit & 0xC0 == 0x80 else { return nil }
            units.append(unit)
            next = end
        }
        return String(validating: units, as: UTF8.self)?.unicodeScalars.first.flatMap {
            Reading($0.value, next)
        }
    }

    /// The index after backslashes and a letter.
    private func marked(_ letter: String, at index: Int) -> Int? {
        guard index < bytes.count else { return nil }
        let next = index + bytes[index...].prefix { $0 == UInt8(ascii: "\\") }.count
        return next > index && has(letter, at: next) ? next + 1 : nil
    }

    private func plain(_ index: Int) -> (UInt8, Int)? {
        index < bytes.count ? (bytes[index], index + 1) : nil
    }

    private func has(_ text: String, at index: Int) -> Bool {
        index < bytes.count && bytes[index...].starts(with: text.utf8)
    }

    private func number(of digits: Int, at index: Int) -> UInt32? {
        guard index + digits <= bytes.count else { return nil }
        let text = bytes[index..<index + digits]
        guard text.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
        return UInt32(String(decoding: text, as: UTF8.self), radix: 16)
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
