/// One property's value, or its list of values, as Codable gives it.
final class LinkPropertyEncoder: Encoder, SingleValueEncodingContainer {
    /// What was given so far.
    enum Content {
        /// Nothing that a link can express.
        case nothing
        /// That there is no value.
        case none
        case one(String)
        case many([String])
    }

    let name: String
    fileprivate(set) var content = Content.nothing
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(name: String) {
        self.name = name
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(DiscardedProperties())
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        content = .many([])
        return LinkListEncoder(self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() { content = .none }

    func encode(_ value: Bool) { content = .one(value ? "true" : "false") }
    func encode(_ value: String) { content = .one(value) }
    func encode(_ value: Double) throws { try put(number: value) }
    func encode(_ value: Float) throws { try put(number: value) }
    func encode(_ value: Int) { content = .one(String(value)) }
    func encode(_ value: Int8) { content = .one(String(value)) }
    func encode(_ value: Int16) { content = .one(String(value)) }
    func encode(_ value: Int32) { content = .one(String(value)) }
    func encode(_ value: Int64) { content = .one(String(value)) }
    func encode(_ value: UInt) { content = .one(String(value)) }
    func encode(_ value: UInt8) { content = .one(String(value)) }
    func encode(_ value: UInt16) { content = .one(String(value)) }
    func encode(_ value: UInt32) { content = .one(String(value)) }
    func encode(_ value: UInt64) { content = .one(String(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: self) }

    private func put(number: some BinaryFloatingPoint & LosslessStringConvertible) throws {
        guard number.isFinite else { throw LinkError.notFinite(name, value: "\(number)") }
        content = .one(String(number))
    }
}

/// The elements of a list, as Codable gives them.
struct LinkListEncoder: UnkeyedEncodingContainer {
    private let property: LinkPropertyEncoder
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(_ property: LinkPropertyEncoder) {
        self.property = property
    }

    func encodeNil() throws { throw LinkError.unsupported(property.name) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        let element = LinkPropertyEncoder(name: property.name)
        try value.encode(to: element)
        guard case .one(let text) = element.content, case .many(var texts) = property.content else {
            throw LinkError.unsupported(property.name)
        }
        // Taken out meanwhile, so that the list is not copied for each element.
        property.content = .nothing
        texts.append(text)
        property.content = .many(texts)
        count += 1
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        property.content = .nothing
        return KeyedEncodingContainer(DiscardedProperties())
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        property.content = .nothing
        return LinkListEncoder(LinkPropertyEncoder(name: property.name))
    }

    func superEncoder() -> any Encoder {
        property.content = .nothing
        return LinkPropertyEncoder(name: property.name)
    }
}

/// Takes the properties of a property and forgets them; it is then reported as one that links cannot express.
private struct DiscardedProperties<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) {}

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(DiscardedProperties<Nested>())
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        LinkListEncoder(LinkPropertyEncoder(name: key.stringValue))
    }

    func superEncoder() -> any Encoder { LinkPropertyEncoder(name: "") }
    func superEncoder(forKey key: Key) -> any Encoder { LinkPropertyEncoder(name: key.stringValue) }
}
