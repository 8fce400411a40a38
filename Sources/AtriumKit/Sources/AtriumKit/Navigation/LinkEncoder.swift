/// Encodes a destination's properties as a link: in the path if the pattern names them, else in the query in the
/// order of their declaration.
final class LinkEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private let pattern: LinkPattern
    private var path: [String]
    /// The segments of the path that have a value, as bits.
    private var filled: UInt64 = 0
    private var tail: [String] = []
    private var query: [Link.QueryItem] = []
    /// The first error that an encoding method without `throws` found.
    private var failure: LinkError?

    init(_ pattern: LinkPattern) {
        self.pattern = pattern
        path = pattern.template
    }

    /// The link of the encoded properties.
    ///
    /// - Throws: ``LinkError`` if the path lacks a value.
    func link() throws -> Link {
        if let failure { throw failure }
        guard pattern.minimumCount < pattern.segments.count else {
            try checkArguments(before: path.count)
            return Link(segments: path, query: query)
        }
        try checkArguments(before: pattern.minimumCount)
        if pattern.hasTail {
            path += tail
        } else {
            try leaveOutAbsent()
        }
        return Link(segments: path, query: query)
    }

    private func checkArguments(before end: Int) throws {
        for index in 0..<end where filled & 1 << UInt64(index) == 0 {
            guard case .argument(let name) = pattern.segments[index] else { continue }
            throw LinkError.missingValue(name, pattern: pattern)
        }
    }

    /// Ends the path before the first optional argument without a value.
    private func leaveOutAbsent() throws {
        var end = pattern.minimumCount
        while end < path.count, filled & 1 << UInt64(end) != 0 { end += 1 }
        for index in end..<path.count where filled & 1 << UInt64(index) != 0 {
            throw LinkError.gap(
                pattern.segments[end].name ?? "", before: pattern.segments[index].name ?? "", pattern: pattern
            )
        }
        path.removeSubrange(end...)
    }

    /// Writes the only value of a property.
    func put(_ text: String, _ name: String, isOptional: Bool = false) {
        for (index, segment) in pattern.segments.enumerated() where segment.name == name {
            guard case .tail = segment else {
                path[index] = text
                filled |= 1 << UInt64(index)
                return
            }
            let isAbsent = text.isEmpty && !isOptional
            // By scalars: to characters, a separator with a combining mark behind it is not a separator.
            tail =
                isAbsent
                ? []
                : text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map {
                    String(Substring($0))
                }
            return
        }
        query.append(Link.QueryItem(name: name, value: text))
    }

    /// Writes every value of a property.
    func put(_ texts: [String], _ name: String, isOptional: Bool) throws {
        if isOptional, texts.isEmpty { throw LinkError.emptyOptionalList(name) }
        switch pattern.segments.first(where: { $0.name == name }) {
        case nil: query += texts.map { Link.QueryItem(name: name, value: $0) }
        case .tail: tail = texts
        default: throw LinkError.listInSegment(name, pattern: pattern)
        }
    }

    func fail(_ error: LinkError) {
        failure = failure ?? error
    }

    fileprivate func failForm() {
        fail(.unsupportedForm(pattern))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Properties(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        failForm()
        return LinkListEncoder(LinkPropertyEncoder(name: ""))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        failForm()
        return LinkPropertyEncoder(name: "")
    }
}

/// The properties of a destination, as Codable writes them.
///
/// Plain types are written here; others, and lists, through ``LinkPropertyEncoder``.
private struct Properties<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: LinkEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}

    func encode(_ value: Bool, forKey key: Key) { put(value ? "true" : "false", key) }
    func encode(_ value: String, forKey key: Key) { put(value, key) }
    func encode(_ value: Double, forKey key: Key) throws { try put(number: value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try put(number: value, key) }
    func encode(_ value: Int, forKey key: Key) { put(String(value), key) }
    func encode(_ value: Int8, forKey key: Key) { put(String(value), key) }
    func encode(_ value: Int16, forKey key: Key) { put(String(value), key) }
    func encode(_ value: Int32, forKey key: Key) { put(String(value), key) }
    func encode(_ value: Int64, forKey key: Key) { put(String(value), key) }
    func encode(_ value: UInt, forKey key: Key) { put(String(value), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(String(value), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(String(value), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(String(value), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(String(value), key) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try put(value, key) }

    // An optional value is marked: an empty one still has to be written.
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { encoder.put(value, key.stringValue, isOptional: true) }
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try put(value, key, isOptional: true) }
    }

    private func put(_ text: String, _ key: Key) {
        encoder.put(text, key.stringValue)
    }

    private func put(number: some BinaryFloatingPoint & LosslessStringConvertible, _ key: Key) throws {
        guard number.isFinite else { throw LinkError.notFinite(key.stringValue, value: "\(number)") }
        put(String(number), key)
    }

    private func put(_ value: some Encodable, _ key: Key, isOptional: Bool = false) throws {
        let property = LinkPropertyEncoder(name: key.stringValue)
        try value.encode(to: property)
        switch property.content {
        case .nothing: throw LinkError.unsupported(key.stringValue)
        case .none: break
        case .one(let text): encoder.put(text, key.stringValue, isOptional: isOptional)
        case .many(let texts): try encoder.put(texts, key.stringValue, isOptional: isOptional)
        }
    }

    // An enumeration with associated values writes itself so; it is no destination.
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.fail(.unsupported(key.stringValue))
        return KeyedEncodingContainer(Properties<Nested>(encoder: encoder))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.fail(.unsupported(key.stringValue))
        return LinkListEncoder(LinkPropertyEncoder(name: key.stringValue))
    }

    func superEncoder() -> any Encoder {
        encoder.failForm()
        return encoder
    }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}
