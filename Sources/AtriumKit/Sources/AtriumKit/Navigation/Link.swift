/// The text form of a destination: path segments and query items, as in `entities?search=lamp`.
///
/// A segment `=` is an empty text, which otherwise has no form in a path. A `+` is a plus sign, and `.` and
/// `..` are text like any other.
public struct Link: Hashable, Sendable, CustomStringConvertible {
    /// The segments of the path, decoded.
    public let segments: [String]
    /// The query items, decoded, in order.
    public let query: [QueryItem]

    /// Creates a link from decoded segments and query items.
    public init(segments: [String], query: [QueryItem] = []) {
        self.segments = segments
        self.query = query
    }

    /// Parses a link, in which `%` and two hexadecimal digits are a byte (RFC 3986); throws ``LinkError``.
    public init(_ text: String) throws {
        var copy = text
        // By bytes: the separators are ASCII, so they are never part of another character.
        (segments, query) = try copy.withUTF8 { bytes in
            if bytes.contains(UInt8(ascii: "#")) { throw LinkError.hasFragment(text) }
            let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
            let segments = try Self.segments(of: bytes[..<(mark ?? bytes.endIndex)], of: text)
            guard let mark else { return (segments, []) }
            return (segments, try Self.items(of: bytes[(mark + 1)...], of: text))
        }
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    private static func segments(of path: Bytes, of text: String) throws -> [String] {
        guard !path.isEmpty else { throw LinkError.malformed(text, "it has no path") }
        var segments: [String] = []
        segments.reserveCapacity(4)
        var start = path.startIndex
        while true {
            let end = path[start...].firstIndex(of: UInt8(ascii: "/")) ?? path.endIndex
            guard start < end else { throw LinkError.malformed(text, "a segment of its path is empty") }
            let isEmptyText = end - start == 1 && path[start] == UInt8(ascii: "=")
            segments.append(isEmptyText ? "" : try PercentEncoding.decode(path[start..<end], of: text))
            guard end < path.endIndex else { return segments }
            start = end + 1
        }
    }

    private static func items(of query: Bytes, of text: String) throws -> [QueryItem] {
        var items: [QueryItem] = []
        var start = query.startIndex
        while start < query.endIndex {
            let end = query[start...].firstIndex(of: UInt8(ascii: "&")) ?? query.endIndex
            defer { start = end + 1 }
            guard start < end else { continue }
            let equals = query[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
            items.append(
                QueryItem(
                    name: try PercentEncoding.decode(query[start..<equals], of: text),
                    value: equals < end ? try PercentEncoding.decode(query[(equals + 1)..<end], of: text) : ""
                ))
        }
        return items
    }

    /// The text of the link.
    public var description: String {
        var text = ""
        for segment in segments {
            if !text.isEmpty { text += "/" }
            text += PercentEncoding.encodeSegment(segment)
        }
        var separator = "?"
        for item in query {
            text += separator
            text += PercentEncoding.encode(item.name)
            text += "="
            text += PercentEncoding.encode(item.value)
            separator = "&"
        }
        return text
    }

    /// A name and a value of the query.
    public struct QueryItem: Hashable, Sendable {
        /// The name, decoded.
        public let name: String
        /// The value, decoded.
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension Link {
    /// The text for messages, without the values of query items whose names suggest secrets.
    @_spi(Host) public var shown: String { Self.shown(description) }

    /// Returns a text, perhaps a link, without the values of query items whose names suggest secrets.
    @_spi(Host) public static func shown(_ text: String) -> String {
        guard let mark = text.firstIndex(of: "?") else { return text }
        let items = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        return text[...mark] + items.map(hidingSecret).joined(separator: "&")
    }

    private static func hidingSecret(_ item: Substring) -> Substring {
        guard let equals = item.firstIndex(of: "="), SecretName.matches(item[..<equals]) else { return item }
        return item[...equals] + "…"
    }
}
