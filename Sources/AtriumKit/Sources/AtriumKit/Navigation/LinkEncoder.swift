/// Encodes a destination's properties as a link: in the path if the pattern names them, else in the query, in
/// order of declaration.
final class LinkEncoder: Encoder, LinkCoding {
    private let pattern: LinkPattern
    /// The segments of the path without the tail; nil without a value.
    private var path: [String?]
    private var tail: [String] = []
    private var query: [Link.QueryItem] = []
    /// The first error that an encoding method without `throws` found.
    private var failure: LinkError?

    init(_ pattern: LinkPattern) {
        self.pattern = pattern
        path = pattern.template
    }

    func link() throws -> Link {
        if let failure { throw failure }
        let end = path.firstIndex(of: nil) ?? path.count
        if end < path.count {
            let name = pattern.segments[end].name ?? ""
            if case .argument = pattern.segments[end] { throw LinkError.missingValue(name, pattern: pattern) }
            if let later = path[end...].firstIndex(where: { $0 != nil }) {
                throw LinkError.gap(name, before: pattern.segments[later].name ?? "", pattern: pattern)
            }
        }
        return Link(segments: path[..<end].compactMap(\.self) + tail, query: query)
    }

    /// Writes the only value of a property; an empty optional text differs from nil.
    func put(_ text: String, _ name: String, isOptional: Bool = false) {
        guard let index = pattern.index(of: name) else {
            return query.append(Link.QueryItem(name: name, value: text))
        }
        guard case .tail = pattern.segments[index] else { return path[index] = text }
        // By scalars: a separator followed by a combining mark is one Character, and would not match.
        let parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        tail = text.isEmpty && !isOptional ? [] : parts.map { String(Substring($0)) }
    }

    /// Writes every value of a property.
    func put(_ texts: [String], _ name: String, isOptional: Bool) throws {
        if isOptional, texts.isEmpty { throw LinkError.emptyOptionalList(name) }
        switch pattern.index(of: name).map({ pattern.segments[$0] }) {
        case nil: query += texts.map { Link.QueryItem(name: name, value: $0) }
        case .tail: tail = texts
        default: throw LinkError.listInSegment(name, pattern: pattern)
        }
    }

    func fail(_ error: LinkError) {
        failure = failure ?? error
    }

    /// Rejects a destination that is not a struct, and discards what it writes.
    fileprivate func failForm() -> LinkPropertyEncoder {
        fail(.unsupportedForm(pattern))
        return LinkPropertyEncoder(name: "")
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(LinkProperties(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { failForm() }
    func singleValueContainer() -> any SingleValueEncodingContainer { failForm() }
}

/// A coder of links, without a coding path: errors name the property.
protocol LinkCoding {}

extension LinkCoding {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
}

/// The properties of a destination, as Codable writes them.
private struct LinkProperties<Key: CodingKey>: KeyedEncodingContainerProtocol, LinkCoding {
    /// Nil discards the properties: their destination is rejected.
    let encoder: LinkEncoder?

    func encodeNil(forKey key: Key) {}
    func encode(_ value: String, forKey key: Key) { encoder?.put(value, key.stringValue) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value, forKey key: Key) {
        encoder?.put(String(value), key.stringValue)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try put(value, key, isOptional: false)
    }

    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encoder?.put(value, key.stringValue, isOptional: true) }
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try put(value, key, isOptional: true) }
    }

    private func put(_ value: some Encodable, _ key: Key, isOptional: Bool) throws {
        guard let encoder else { return }
        let property = LinkPropertyEncoder(name: key.stringValue)
        try value.encode(to: property)
        switch property.form {
        case .nothing: throw LinkError.unsupported(key.stringValue)
        case .absent: break
        case .text: encoder.put(property.texts[0], key.stringValue, isOptional: isOptional)
        case .list: try encoder.put(property.texts, key.stringValue, isOptional: isOptional)
        }
    }

    // Enumerations with associated values encode themselves so; they can't be destinations.
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder?.fail(.unsupported(key.stringValue))
        return KeyedEncodingContainer(LinkProperties<Nested>(encoder: nil))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder?.fail(.unsupported(key.stringValue))
        return LinkPropertyEncoder(name: key.stringValue)
    }

    func superEncoder() -> any Encoder { encoder?.failForm() ?? LinkPropertyEncoder(name: "") }
    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

/// One property's value, or its list of values, as Codable gives it.
private final class LinkPropertyEncoder: Encoder, LinkCoding, SingleValueEncodingContainer,
    UnkeyedEncodingContainer
{
    /// The form of the value: unsupported or missing, nil, one text, or a list.
    enum Form {
        case nothing, absent, text, list
    }

    private let name: String
    private(set) var texts: [String] = []
    private var given = Form.nothing
    private var isRefused = false
    var form: Form { isRefused ? .nothing : given }
    var count: Int { texts.count }

    init(name: String) {
        self.name = name
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        given = .list
        return self
    }

    func encodeNil() {
        if given == .list { isRefused = true }
        given = .absent
    }

    func encode(_ value: Bool) { put(String(value)) }
    func encode(_ value: String) { put(value) }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) { put(String(value)) }

    func encode<Value: BinaryFloatingPoint & LosslessStringConvertible & Encodable>(_ value: Value) throws {
        guard value.isFinite else { throw LinkError.notFinite(name, value: "\(value)") }
        put(String(value))
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        guard given == .list else { return try value.encode(to: self) }
        let element = LinkPropertyEncoder(name: name)
        try value.encode(to: element)
        guard element.form == .text, !isRefused else { throw LinkError.unsupported(name) }
        texts += element.texts
    }

    private func put(_ text: String) {
        if given == .list { return texts.append(text) }
        (given, texts) = (.text, [text])
    }

    // MARK: - Unsupported values

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        isRefused = true
        return KeyedEncodingContainer(LinkProperties(encoder: nil))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        isRefused = true
        return self
    }

    func superEncoder() -> any Encoder {
        isRefused = true
        return self
    }
}
