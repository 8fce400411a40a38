/// Makes up values, so that a screen can be tried without a link to it: 1, "sample", the first case, nil.
struct SampleDecoder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Something that can't be made up.
    struct Unknown: Error {}

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Properties())
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unknown() }
    func singleValueContainer() -> any SingleValueDecodingContainer { Value() }

    /// A value of any type; the first case of an enumeration.
    static func value<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
        if let cases = type as? any CaseIterable.Type, let first = firstCase(of: cases) as? Wanted {
            return first
        }
        return try Wanted(from: SampleDecoder())
    }

    private static func firstCase<Cases: CaseIterable>(of cases: Cases.Type) -> Any? {
        cases.allCases.first
    }

    private struct Value: SingleValueDecodingContainer {
        var codingPath: [any CodingKey] { [] }

        func decodeNil() -> Bool { false }
        func decode(_ type: Bool.Type) -> Bool { false }
        func decode(_ type: String.Type) -> String { "sample" }
        func decode(_ type: Double.Type) -> Double { 1 }
        func decode(_ type: Float.Type) -> Float { 1 }
        func decode(_ type: Int.Type) -> Int { 1 }
        func decode(_ type: Int8.Type) -> Int8 { 1 }
        func decode(_ type: Int16.Type) -> Int16 { 1 }
        func decode(_ type: Int32.Type) -> Int32 { 1 }
        func decode(_ type: Int64.Type) -> Int64 { 1 }
        func decode(_ type: UInt.Type) -> UInt { 1 }
        func decode(_ type: UInt8.Type) -> UInt8 { 1 }
        func decode(_ type: UInt16.Type) -> UInt16 { 1 }
        func decode(_ type: UInt32.Type) -> UInt32 { 1 }
        func decode(_ type: UInt64.Type) -> UInt64 { 1 }
        func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
            try SampleDecoder.value(type)
        }
    }

    private struct Properties<Key: CodingKey>: KeyedDecodingContainerProtocol {
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        // What is optional is left out; what is not is asked for by its type.
        func decodeNil(forKey key: Key) -> Bool { true }
        func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
            try SampleDecoder.value(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedDecodingContainer<Nested> {
            KeyedDecodingContainer(Properties<Nested>())
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw Unknown()
        }
        func superDecoder() -> any Decoder { SampleDecoder() }
        func superDecoder(forKey key: Key) -> any Decoder { SampleDecoder() }
    }
}
