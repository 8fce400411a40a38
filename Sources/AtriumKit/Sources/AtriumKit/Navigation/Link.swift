/// The text form of a place: path segments and query items, as in `entities?search=lamp`.
public struct Link: Hashable, Sendable, CustomStringConvertible {
    /// The segments of the path, decoded.
    public let segments: [String]
    /// The query items, decoded, in order.
    public let query: [QueryItem]

    public init(segments: [String], query: [QueryItem] = []) {
        self.segments = segments
        self.query = query
    }

    /// Reads a link; `%` followed by two hexadecimal digits stands for a byte (RFC 3986).
    ///
    /// - Throws: ``LinkError`` where the text is not a link.
    public init(_ text: String) throws {
        // By scalars: to characters, a separator with a combining mark behind it is not a separator.
        let parts = text.unicodeScalars.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0]
        guard !path.isEmpty else { throw LinkError.malformed(text, "it has no path") }
        segments = try path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard !segment.isEmpty else { throw LinkError.malformed(text, "a segment of its path is empty") }
            return try PercentEncoding.decode(Substring(segment), of: text)
        }
        query = try parts.dropFirst().flatMap { $0.split(separator: "&") }.map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                Substring.init)
            return QueryItem(
                name: try PercentEncoding.decode(pair[0], of: text),
                value: try PercentEncoding.decode(pair.count > 1 ? pair[1] : "", of: text))
        }
    }

    /// The link as it is typed.
    public var description: String {
        let path = segments.map(PercentEncoding.encode).joined(separator: "/")
        guard !query.isEmpty else { return path }
        let items = query.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return path + "?" + items.joined(separator: "&")
    }

    /// A name and a value behind the question mark.
    public struct QueryItem: Hashable, Sendable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

/// Percent-encoding of link parts (RFC 3986); letters and digits of all scripts stay readable.
enum PercentEncoding {
    private static let plain = Set("-._~@:".unicodeScalars)

    static func encode(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if plain.contains(scalar) || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                for byte in String(scalar).utf8 {
                    let digits = String(byte, radix: 16, uppercase: true)
                    result += "%" + (digits.count == 1 ? "0" : "") + digits
                }
            }
        }
        return result
    }

    static func decode(_ text: some StringProtocol, of link: String) throws -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else {
                throw LinkError.malformed(link, "'%' is not followed by two hexadecimal digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw LinkError.malformed(link, "its percent-encoded bytes are not UTF-8")
        }
        return decoded
    }
}
