/// Decodes a destination's properties from a link, and records which items of the query were read.
final class LinkDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    let link: Link
    private let pattern: LinkPattern
    /// For each item of the query, whether it was read.
    private var isRead: [Bool]
    /// The names that were read, if they are recorded.
    private var asked: [String]?

    /// - Throws: ``LinkError`` if the query has a value that belongs in the path.
    init(_ link: Link, _ pattern: LinkPattern) throws {
        self.link = link
        self.pattern = pattern
        isRead = link.query.isEmpty ? [] : Array(repeating: false, count: link.query.count)
        for item in link.query {
            guard let index = pattern.segments.firstIndex(where: { $0.name == item.name }) else { continue }
            throw index < link.segments.count
                ? LinkError.repeatedItem(item.name, link: link)
                : LinkError.belongsInPath(item.name, link: link, pattern: pattern)
        }
    }

    /// Checks that every item of the query was read.
    ///
    /// - Parameter readAgain: Decodes the destination once more, to find its names.
    /// - Throws: ``LinkError`` that names unknown items, and the destination's names.
    func finish(_ readAgain: (LinkDecoder) -> Void) throws {
        guard isRead.contains(false) else { return }
        let unknown = zip(link.query, isRead).filter { !$1 }.map(\.0.name)
        asked = []
        readAgain(self)
        let inPath = Set(pattern.segments.compactMap(\.name))
        throw LinkError.unknownItems(
            unknown, link: link, known: (asked ?? []).filter { !inPath.contains($0) })
    }

    /// Whether the link has a value for a property.
    func has(_ name: String) -> Bool {
        if asked?.contains(name) == false { asked?.append(name) }
        guard let index = pattern.segments.firstIndex(where: { $0.name == name }) else {
            return link.query.contains { $0.name == name }
        }
        return index < link.segments.count
    }

    /// The only value of a property; nil if there is none.
    ///
    /// - Throws: ``LinkError`` if there are several.
    func value(_ name: String) throws -> String? {
        if asked?.contains(name) == false { asked?.append(name) }
        for (index, segment) in pattern.segments.enumerated() where segment.name == name {
            if case .tail = segment { return link.segments[index...].joined(separator: "/") }
            return index < link.segments.count ? link.segments[index] : nil
        }
        var value: String?
        for (index, item) in link.query.enumerated() where item.name == name {
            if value != nil { throw LinkError.repeatedItem(name, link: link) }
            value = item.value
            isRead[index] = true
        }
        return value
    }

    /// Every value of a property, in order.
    func values(_ name: String) -> [String] {
        if asked?.contains(name) == false { asked?.append(name) }
        for (index, segment) in pattern.segments.enumerated() where segment.name == name {
            guard index < link.segments.count else { return [] }
            if case .tail = segment { return Array(link.segments[index...]) }
            return [link.segments[index]]
        }
        var values: [String] = []
        for (index, item) in link.query.enumerated() where item.name == name {
            values.append(item.value)
            isRead[index] = true
        }
        return values
    }

    func missing(_ name: String) -> LinkError {
        .malformed(link.description, "it needs a value for '\(name)'")
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Properties(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw LinkError.unsupportedForm(pattern)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw LinkError.unsupportedForm(pattern)
    }
}

/// The properties of a destination, as Codable reads them.
///
/// Plain types are read here; others, and lists, through ``LinkPropertyDecoder``.
private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: LinkDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] {
        decoder.link.query.compactMap { Key(stringValue: $0.name) }
    }

    func contains(_ key: Key) -> Bool { decoder.has(key.stringValue) }
    func decodeNil(forKey key: Key) -> Bool { !decoder.has(key.stringValue) }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try plain(key, LinkValue.bool) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try plain(key) { text, _, _ in text }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try plain(key, LinkValue.number) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try plain(key, LinkValue.number) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try plain(key, LinkValue.integer) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try plain(key, LinkValue.integer) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try plain(key, LinkValue.integer) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try plain(key, LinkValue.integer) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try plain(key, LinkValue.integer) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try plain(key, LinkValue.integer) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try plain(key, LinkValue.integer) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try plain(key, LinkValue.integer) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try plain(key, LinkValue.integer) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try plain(key, LinkValue.integer) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let property = LinkPropertyDecoder(name: key.stringValue, decoder: decoder)
        do {
            return try Value(from: property)
        } catch is DecodingError {
            throw LinkError.wrongType(
                key.stringValue, value: decoder.values(key.stringValue).joined(separator: ", "),
                link: decoder.link, expected: "one of the values that it knows")
        }
    }

    private func plain<Value>(
        _ key: Key, _ convert: (String, String, Link) throws -> Value
    ) throws -> Value {
        let name = key.stringValue
        guard let text = try decoder.value(name) else { throw decoder.missing(name) }
        return try convert(text, name, decoder.link)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw LinkError.unsupported(key.stringValue)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        LinkListDecoder(name: key.stringValue, texts: decoder.values(key.stringValue), link: decoder.link)
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}
