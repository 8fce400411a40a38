/// One property of a link, as Codable asks for its value or its list of values.
struct LinkPropertyDecoder: Decoder, SingleValueDecodingContainer {
    let name: String
    let decoder: LinkDecoder
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        LinkListDecoder(name: name, texts: decoder.values(name), link: decoder.link)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { !decoder.has(name) }

    func decode(_ type: Bool.Type) throws -> Bool { try plain(LinkValue.bool) }
    func decode(_ type: String.Type) throws -> String { try plain { text, _, _ in text } }
    func decode(_ type: Double.Type) throws -> Double { try plain(LinkValue.number) }
    func decode(_ type: Float.Type) throws -> Float { try plain(LinkValue.number) }
    func decode(_ type: Int.Type) throws -> Int { try plain(LinkValue.integer) }
    func decode(_ type: Int8.Type) throws -> Int8 { try plain(LinkValue.integer) }
    func decode(_ type: Int16.Type) throws -> Int16 { try plain(LinkValue.integer) }
    func decode(_ type: Int32.Type) throws -> Int32 { try plain(LinkValue.integer) }
    func decode(_ type: Int64.Type) throws -> Int64 { try plain(LinkValue.integer) }
    func decode(_ type: UInt.Type) throws -> UInt { try plain(LinkValue.integer) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try plain(LinkValue.integer) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try plain(LinkValue.integer) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try plain(LinkValue.integer) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try plain(LinkValue.integer) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func plain<Value>(_ convert: (String, String, Link) throws -> Value) throws -> Value {
        guard let text = try decoder.value(name) else { throw decoder.missing(name) }
        return try convert(text, name, decoder.link)
    }
}

/// The values of a property, as Codable asks for the elements of a list.
struct LinkListDecoder: UnkeyedDecodingContainer {
    let name: String
    let texts: [String]
    let link: Link
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { texts.count }
    var isAtEnd: Bool { currentIndex == texts.count }

    init(name: String, texts: [String], link: Link) {
        self.name = name
        self.texts = texts
        self.link = link
    }

    func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !isAtEnd else {
            throw LinkError.malformed(link.description, "it needs another value for '\(name)'")
        }
        let value = try Value(from: LinkElementDecoder(name: name, text: texts[currentIndex], link: link))
        currentIndex += 1
        return value
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw LinkError.unsupported(name) }
    func superDecoder() throws -> any Decoder { throw LinkError.unsupported(name) }
}

/// One value of a list.
private struct LinkElementDecoder: Decoder, SingleValueDecodingContainer {
    let name: String
    let text: String
    let link: Link
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw LinkError.unsupported(name) }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }

    func decode(_ type: Bool.Type) throws -> Bool { try LinkValue.bool(text, name, link) }
    func decode(_ type: String.Type) -> String { text }
    func decode(_ type: Double.Type) throws -> Double { try LinkValue.number(text, name, link) }
    func decode(_ type: Float.Type) throws -> Float { try LinkValue.number(text, name, link) }
    func decode(_ type: Int.Type) throws -> Int { try LinkValue.integer(text, name, link) }
    func decode(_ type: Int8.Type) throws -> Int8 { try LinkValue.integer(text, name, link) }
    func decode(_ type: Int16.Type) throws -> Int16 { try LinkValue.integer(text, name, link) }
    func decode(_ type: Int32.Type) throws -> Int32 { try LinkValue.integer(text, name, link) }
    func decode(_ type: Int64.Type) throws -> Int64 { try LinkValue.integer(text, name, link) }
    func decode(_ type: UInt.Type) throws -> UInt { try LinkValue.integer(text, name, link) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try LinkValue.integer(text, name, link) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try LinkValue.integer(text, name, link) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try LinkValue.integer(text, name, link) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try LinkValue.integer(text, name, link) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

/// Reads plain values out of the text of a link.
enum LinkValue {
    static func bool(_ text: String, _ name: String, _ link: Link) throws -> Bool {
        switch text {
        case "true": return true
        case "false": return false
        default: throw LinkError.wrongType(name, value: text, link: link, expected: "'true' or 'false'")
        }
    }

    static func integer<Value: FixedWidthInteger>(_ text: String, _ name: String, _ link: Link) throws
        -> Value
    {
        guard let value = Value(text) else {
            throw LinkError.wrongType(name, value: text, link: link, expected: "a whole number")
        }
        return value
    }

    /// A finite number: what is kept with a stack entry has no form for others.
    static func number<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ text: String, _ name: String, _ link: Link
    ) throws -> Value {
        guard let value = Value(text), value.isFinite else {
            throw LinkError.wrongType(name, value: text, link: link, expected: "a number")
        }
        return value
    }
}
