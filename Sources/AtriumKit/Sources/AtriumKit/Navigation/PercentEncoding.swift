/// Percent-encoding of link parts (RFC 3986); letters and digits of all scripts stay readable.
@_spi(Host) public enum PercentEncoding {
    /// The segment for an empty text; reserved, so `=` and `%3D` differ in meaning (RFC 3986, 2.2).
    static let emptySegment = "="

    /// Encodes a path segment; an empty one becomes `=`.
    public static func encodeSegment(_ text: String) -> String {
        text.isEmpty ? emptySegment : encode(text)
    }

    /// Encodes a text, keeping unreserved ASCII and the letters of other scripts.
    public static func encode(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count * 3)
        for scalar in text.unicodeScalars {
            let isKept = scalar.isASCII ? isPlain(UInt8(scalar.value)) : scalar.properties.isAlphabetic
            if isKept {
                result.unicodeScalars.append(scalar)
            } else {
                for byte in Unicode.UTF8.encode(scalar) ?? .init() {
                    result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
                }
            }
        }
        return result
    }

    /// Decodes some bytes of a link; throws ``LinkError`` that names `link`.
    static func decode(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, of link: String) throws -> String {
        guard bytes.contains(UInt8(ascii: "%")) else {
            return String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard index + 1 < bytes.endIndex, let high = digit(bytes[index]),
                let low = digit(bytes[index + 1])
            else {
                throw LinkError.malformed(link, "'%' is not followed by two hexadecimal digits")
            }
            decoded.append(high << 4 | low)
            index += 2
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw LinkError.malformed(link, "its percent-encoded bytes are not UTF-8")
        }
        return text
    }

    /// Decodes a name or a value of a URL's query, where `+` is a space; nil if it is not well-formed.
    public static func decodeForm(_ text: String) -> String? {
        var text = text.replacing("+", with: " ")
        return text.withUTF8 { try? decode($0[...], of: "") }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "@"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }
}
