/// Writes a destination's properties as the values of a link, in the order of their declaration.
final class LinkEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    fileprivate(set) var values: [Link.QueryItem] = []

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Properties(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        preconditionFailure("A destination is a struct with properties, not a list.")
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        preconditionFailure("A destination is a struct with properties, not a single value.")
    }
}

/// The properties of a destination, as Codable gives them.
private struct Properties<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: LinkEncoder
    let codingPath: [any CodingKey] = []

    func encodeNil(forKey key: Key) {}

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let property = PropertyEncoder(name: key.stringValue)
        try value.encode(to: property)
        guard let text = property.text else { throw LinkError.unsupported(key.stringValue) }
        encoder.values.append(Link.QueryItem(name: key.stringValue, value: text))
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(Properties<Nested>(encoder: LinkEncoder()))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { DiscardedList() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// One property's value, as Codable gives it; without text where links cannot express it.
private final class PropertyEncoder: Encoder, SingleValueEncodingContainer {
    let name: String
    private(set) var text: String?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(name: String) {
        self.name = name
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Properties(encoder: LinkEncoder()))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { DiscardedList() }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() {}

    func encode(_ value: Bool) { text = String(value) }
    func encode(_ value: String) { text = value }
    func encode(_ value: Double) { text = String(value) }
    func encode(_ value: Float) { text = String(value) }
    func encode(_ value: Int) { text = String(value) }
    func encode(_ value: Int8) { text = String(value) }
    func encode(_ value: Int16) { text = String(value) }
    func encode(_ value: Int32) { text = String(value) }
    func encode(_ value: Int64) { text = String(value) }
    func encode(_ value: UInt) { text = String(value) }
    func encode(_ value: UInt8) { text = String(value) }
    func encode(_ value: UInt16) { text = String(value) }
    func encode(_ value: UInt32) { text = String(value) }
    func encode(_ value: UInt64) { text = String(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: self) }
}

/// Takes a list and forgets it; the property is then reported as one that links cannot express.
private struct DiscardedList: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey] = []
    let count = 0

    func encodeNil() {}
    func encode<Value: Encodable>(_ value: Value) {}

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(Properties<Nested>(encoder: LinkEncoder()))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { LinkEncoder() }
}
