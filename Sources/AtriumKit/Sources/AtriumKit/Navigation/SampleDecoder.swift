/// Decodes sample values, so that a screen can be built without a link: 1, "sample", the first case, nil.
struct SampleDecoder: Decoder {
    /// Records the properties that are read.
    var shape: DestinationShape?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// There is no sample value.
    struct Unknown: Error {}

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try shape?.take(type)
        return KeyedDecodingContainer(Properties(shape: shape))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { SampleValue(shape: shape) }

    private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let shape: DestinationShape?
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        // Optional properties are left out.
        func decodeNil(forKey key: Key) -> Bool {
            shape?.askOptional(key.stringValue)
            return true
        }
        func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
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
            shape?.note(.list)
            return NoValues()
        }
        func superDecoder() -> any Decoder { SampleDecoder() }
        func superDecoder(forKey key: Key) -> any Decoder { SampleDecoder() }
    }
}

/// Decodes a sample value of any type; lists are empty.
private struct SampleValue: Decoder, SingleValueDecodingContainer {
    let shape: DestinationShape?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        shape?.note(.other)
        return try SampleDecoder().container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        shape?.note(.list)
        return NoValues()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool {
        shape?.note(.other)
        return false
    }
    func decode(_ type: Bool.Type) -> Bool { other(false) }
    func decode(_ type: String.Type) -> String {
        shape?.note(.text)
        return "sample"
    }
    func decode(_ type: Double.Type) -> Double { other(1) }
    func decode(_ type: Float.Type) -> Float { other(1) }
    func decode(_ type: Int.Type) -> Int { other(1) }
    func decode(_ type: Int8.Type) -> Int8 { other(1) }
    func decode(_ type: Int16.Type) -> Int16 { other(1) }
    func decode(_ type: Int32.Type) -> Int32 { other(1) }
    func decode(_ type: Int64.Type) -> Int64 { other(1) }
    func decode(_ type: UInt.Type) -> UInt { other(1) }
    func decode(_ type: UInt8.Type) -> UInt8 { other(1) }
    func decode(_ type: UInt16.Type) -> UInt16 { other(1) }
    func decode(_ type: UInt32.Type) -> UInt32 { other(1) }
    func decode(_ type: UInt64.Type) -> UInt64 { other(1) }

    /// A value of any type; the first case of an enumeration.
    func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        if let cases = type as? any CaseIterable.Type, let first = Self.firstCase(of: cases) as? Wanted {
            // As a choice is text or a number, a tail can't be one.
            return other(first)
        }
        return try Wanted(from: self)
    }

    private static func firstCase<Cases: CaseIterable>(of cases: Cases.Type) -> Any? {
        cases.allCases.first
    }

    private func other<Wanted>(_ value: Wanted) -> Wanted {
        shape?.note(.other)
        return value
    }
}

/// A list without elements.
private struct NoValues: UnkeyedDecodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    var currentIndex: Int { 0 }

    func decodeNil() throws -> Bool { throw SampleDecoder.Unknown() }
    func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted { throw SampleDecoder.Unknown() }
    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw SampleDecoder.Unknown()
    }
    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw SampleDecoder.Unknown() }
    func superDecoder() throws -> any Decoder { throw SampleDecoder.Unknown() }
}
