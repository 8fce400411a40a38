/// Decodes a destination's properties from a link, and records which of them were read.
final class LinkDecoder: Decoder, LinkCoding {
    let link: Link
    private let pattern: LinkPattern
    /// The names that the destination read, in order; recorded only if the link has a query.
    private var known: [String] = []

    /// - Throws: ``LinkError`` if the query has a value that belongs in the path.
    init(_ link: Link, _ pattern: LinkPattern) throws {
        self.link = link
        self.pattern = pattern
        for item in link.query {
            guard let index = pattern.index(of: item.name) else { continue }
            throw index < link.segments.count
                ? LinkError.repeatedItem(item.name, link: link)
                : LinkError.belongsInPath(item.name, link: link, pattern: pattern)
        }
    }

    /// Checks that every item of the query was read.
    func finish() throws {
        let unknown = link.query.map(\.name).filter { !known.contains($0) }
        guard !unknown.isEmpty else { return }
        throw LinkError.unknownItems(
            unknown, link: link, known: known.filter { pattern.index(of: $0) == nil })
    }

    func has(_ name: String) -> Bool {
        note(name)
        guard let index = pattern.index(of: name) else { return link.query.contains { $0.name == name } }
        return index < link.segments.count
    }

    func value(_ name: String) throws -> String {
        let values = values(name)
        if let index = pattern.index(of: name), case .tail = pattern.segments[index] {
            return values.joined(separator: "/")
        }
        guard values.count < 2 else { throw LinkError.repeatedItem(name, link: link) }
        guard let value = values.first else {
            throw LinkError.malformed(link.description, "it needs a value for '\(name)'")
        }
        return value
    }

    func values(_ name: String) -> [String] {
        note(name)
        guard let index = pattern.index(of: name) else {
            return link.query.filter { $0.name == name }.map(\.value)
        }
        guard index < link.segments.count else { return [] }
        if case .tail = pattern.segments[index] { return Array(link.segments[index...]) }
        return [link.segments[index]]
    }

    private func note(_ name: String) {
        if !link.query.isEmpty, !known.contains(name) { known.append(name) }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(LinkProperties(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw LinkError.unsupportedForm(pattern)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw LinkError.unsupportedForm(pattern)
    }
}

/// The properties of a destination, as Codable reads them.
private struct LinkProperties<Key: CodingKey>: KeyedDecodingContainerProtocol, LinkCoding {
    let decoder: LinkDecoder
    var allKeys: [Key] { decoder.link.query.compactMap { Key(stringValue: $0.name) } }

    func contains(_ key: Key) -> Bool { decoder.has(key.stringValue) }
    func decodeNil(forKey key: Key) -> Bool { !decoder.has(key.stringValue) }

    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder.value(key.stringValue) }

    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try property(key).decode(type)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        do {
            return try Value(from: property(key))
        } catch is DecodingError {
            throw LinkError.wrongType(
                key.stringValue, value: decoder.values(key.stringValue).joined(separator: ", "),
                link: decoder.link, expected: "one of the values that it knows")
        }
    }

    private func property(_ key: Key) -> LinkPropertyDecoder {
        LinkPropertyDecoder(name: key.stringValue, decoder: decoder)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw LinkError.unsupported(key.stringValue)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try property(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}

/// One property of a link, or an element of a list, as Codable reads its value.
private struct LinkPropertyDecoder: Decoder, LinkCoding, SingleValueDecodingContainer {
    let name: String
    let decoder: LinkDecoder
    var element: String?

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard element == nil else { throw LinkError.unsupported(name) }
        return LinkListDecoder(name: name, decoder: decoder, texts: decoder.values(name))
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { element == nil && !decoder.has(name) }
    func decode(_ type: String.Type) throws -> String { try element ?? decoder.value(name) }
    func decode(_ type: Bool.Type) throws -> Bool { try read("'true' or 'false'") { Bool($0) } }

    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) throws -> Value {
        try read("a whole number") { Value($0) }
    }

    /// Decodes a finite number: the JSON kept with a stack entry has no form for others.
    func decode<Value: BinaryFloatingPoint & LosslessStringConvertible & Decodable>(
        _ type: Value.Type
    ) throws -> Value {
        try read("a number") { text in Value(text).flatMap { $0.isFinite ? $0 : nil } }
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func read<Value>(_ expected: String, _ convert: (String) -> Value?) throws -> Value {
        let text = try decode(String.self)
        if let value = convert(text) { return value }
        throw LinkError.wrongType(name, value: text, link: decoder.link, expected: expected)
    }
}

/// The values of a property, as Codable reads the elements of a list.
struct LinkListDecoder: UnkeyedDecodingContainer, LinkCoding {
    let name: String
    /// The decoder of the link; nil for the empty list of a sample.
    let decoder: LinkDecoder?
    let texts: [String]
    private(set) var currentIndex = 0
    var count: Int? { texts.count }
    var isAtEnd: Bool { currentIndex == texts.count }

    func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let decoder, !isAtEnd else {
            throw LinkError.malformed(
                decoder?.link.description ?? "", "it needs another value for '\(name)'")
        }
        defer { currentIndex += 1 }
        return try LinkPropertyDecoder(name: name, decoder: decoder, element: texts[currentIndex]).decode(
            type)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw LinkError.unsupported(name) }
    func superDecoder() throws -> any Decoder { throw LinkError.unsupported(name) }
}
