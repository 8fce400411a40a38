/// Decodes sample values, so that a screen can be built without a link: 1, "sample", the first case, nil.
struct SampleDecoder: Decoder, LinkCoding {
    var shape: DestinationShape?

    struct Unknown: Error {}

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try shape?.take(type)
        return KeyedDecodingContainer(Properties(shape: shape))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { SampleValue(shape: shape) }

    private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol, LinkCoding {
        let shape: DestinationShape?
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }

        // Optional properties are left out.
        func decodeNil(forKey key: Key) -> Bool {
            shape?.ask(key.stringValue, isOptional: true)
            return true
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            shape?.ask(key.stringValue)
            return try SampleValue(shape: shape).decode(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> {
            KeyedDecodingContainer(Properties<Nested>(shape: nil))
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
            shape?.ask(key.stringValue)
            return SampleValue(shape: shape).unkeyedContainer()
        }

        func superDecoder() -> any Decoder { SampleDecoder() }
        func superDecoder(forKey key: Key) -> any Decoder { SampleDecoder() }
    }
}

/// Decodes a sample value of any type; lists are empty.
private struct SampleValue: Decoder, LinkCoding, SingleValueDecodingContainer {
    let shape: DestinationShape?

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        shape?.note(.other)
        return try SampleDecoder().container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        shape?.note(.list)
        return LinkListDecoder(name: "", decoder: nil, texts: [])
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { other(false) }
    func decode(_ type: Bool.Type) -> Bool { other(false) }

    func decode(_ type: String.Type) -> String {
        shape?.note(.text)
        return "sample"
    }

    func decode<Value: FixedWidthInteger & Decodable>(_ type: Value.Type) -> Value { other(1) }
    func decode<Value: BinaryFloatingPoint & Decodable>(_ type: Value.Type) -> Value { other(1) }

    /// Decodes a value of any type; the first case of an enumeration.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let cases = type as? any CaseIterable.Type, let first = Self.firstCase(of: cases) as? Value {
            // Noted as `other`: a choice can't be a tail.
            return other(first)
        }
        return try Value(from: self)
    }

    private static func firstCase<Cases: CaseIterable>(of cases: Cases.Type) -> Any? {
        cases.allCases.first
    }

    private func other<Value>(_ value: Value) -> Value {
        shape?.note(.other)
        return value
    }
}

/// The properties of a destination, found by decoding it from samples.
final class DestinationShape {
    struct Property {
        let name: String
        let isOptional: Bool
        var kind: Kind?
    }

    enum Kind {
        case text, list, other
    }

    private var properties: [Property] = []
    private(set) var unknownNames: [String]
    private let findsKinds: Bool

    /// Decodes a destination; finding kinds costs casts, which are slow with many libraries loaded.
    init(_ type: any Destination.Type, names: [String], findsKinds: Bool) {
        unknownNames = names
        self.findsKinds = findsKinds
        _ = try? type.init(from: SampleDecoder(shape: self))
    }

    /// The names of the properties, in the order in which they are read.
    var names: [String] { properties.map(\.name) }

    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// Receives the keys of the destination, which may have several kinds; throws as soon as everything
    /// needed is known.
    func take<Key: CodingKey>(_ type: Key.Type) throws {
        unknownNames.removeAll { Key(stringValue: $0) != nil }
        if !findsKinds, unknownNames.isEmpty { throw SampleDecoder.Unknown() }
    }

    func ask(_ name: String, isOptional: Bool = false) {
        if property(name) == nil { properties.append(Property(name: name, isOptional: isOptional)) }
    }

    /// Records the kind of the property that was read last.
    func note(_ kind: Kind) {
        guard let last = properties.indices.last, properties[last].kind == nil else { return }
        properties[last].kind = kind
    }
}

extension LinkPattern {
    /// Returns the reason that links of a destination can't have this form, as the end of a sentence; nil if
    /// they can.
    func problem(for type: any Destination.Type) -> String? {
        if let problem { return problem }
        let names = segments.compactMap(\.name)
        guard !names.isEmpty else { return nil }
        let shape = DestinationShape(type, names: names, findsKinds: segments.contains(where: \.mayBeAbsent))
        if let name = shape.unknownNames.first { return "the destination has no property '\(name)'" }
        return segments.lazy.compactMap { segment in
            segment.name.flatMap(shape.property).flatMap { Self.problem(of: segment, $0) }
        }.first
    }

    private static func problem(of segment: Segment, _ property: DestinationShape.Property) -> String? {
        switch (segment, property.kind) {
        case (.argument(let name), .list), (.optional(let name), .list):
            "'\(name)' is a list, which only ':\(name)*' at the end can be"
        case (.optional(let name), _) where !property.isOptional:
            "':\(name)?' may be absent, and the property '\(name)' is not optional"
        case (.tail(let name), .other):
            "':\(name)*' is any number of segments, and the property '\(name)' neither text nor a list"
        default: nil
        }
    }
}
