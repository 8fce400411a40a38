/// Reads a destination's properties out of a link.
///
/// Keeps which values were asked for, so that what is left over can be reported.
final class LinkDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    fileprivate let link: Link
    fileprivate let values: [String: String]
    private let pathNames: Set<String>
    private var asked: [String] = []

    init(link: Link, path: [String: String]) throws {
        self.link = link
        self.pathNames = Set(path.keys)
        var values = path
        for item in link.query {
            guard values.updateValue(item.value, forKey: item.name) == nil else {
                throw LinkError.repeatedItem(item.name, link: link)
            }
        }
        self.values = values
    }

    /// Checks that every query item was read.
    func finish() throws {
        let unknown = link.query.map(\.name).filter { !asked.contains($0) }
        guard unknown.isEmpty else {
            throw LinkError.unknownItems(unknown, link: link, known: asked.filter { !pathNames.contains($0) })
        }
    }

    fileprivate func value(_ name: String) -> String? {
        if !asked.contains(name) { asked.append(name) }
        return values[name]
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Properties(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw LinkError.unsupported("list")
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        throw LinkError.unsupported("value")
    }
}

/// The properties of a destination, as Codable asks for them.
private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: LinkDecoder
    let codingPath: [any CodingKey] = []
    var allKeys: [Key] { decoder.values.keys.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { decoder.value(key.stringValue) != nil }
    func decodeNil(forKey key: Key) -> Bool { decoder.value(key.stringValue) == nil }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard let text = decoder.value(key.stringValue) else {
            throw LinkError.malformed(decoder.link.description, "it needs a value for '\(key.stringValue)'")
        }
        do {
            return try Value(from: PropertyDecoder(name: key.stringValue, text: text, link: decoder.link))
        } catch is DecodingError {
            throw LinkError.wrongType(
                key.stringValue, value: text, link: decoder.link, expected: "one of the values that it knows")
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw LinkError.unsupported(key.stringValue)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw LinkError.unsupported(key.stringValue)
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}

/// One property's text, as Codable asks for its value.
private struct PropertyDecoder: Decoder, SingleValueDecodingContainer {
    let name: String
    let text: String
    let link: Link
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw LinkError.unsupported(name) }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }

    func decode(_ type: Bool.Type) throws -> Bool {
        try parse("'true' or 'false'") { $0 == "true" ? true : $0 == "false" ? false : nil }
    }
    func decode(_ type: String.Type) -> String { text }
    func decode(_ type: Double.Type) throws -> Double { try number() }
    func decode(_ type: Float.Type) throws -> Float { try number() }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        try parse("a whole number") { Value($0) }
    }

    /// A finite number: what is kept with a stack entry has no form for others.
    private func number<Value: BinaryFloatingPoint & LosslessStringConvertible>() throws -> Value {
        try parse("a number") { text in Value(text).flatMap { $0.isFinite ? $0 : nil } }
    }

    private func parse<Value>(_ expected: String, _ convert: (String) -> Value?) throws -> Value {
        guard let value = convert(text) else {
            throw LinkError.wrongType(name, value: text, link: link, expected: expected)
        }
        return value
    }
}
