/// One property of a link, or an element of a list, as Codable reads its value.
struct LinkPropertyDecoder: Decoder, SingleValueDecodingContainer {
    let name: String
    let link: Link
    private let source: Source
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private enum Source {
        case property(LinkDecoder)
        case element(String)
    }

    init(name: String, decoder: LinkDecoder) {
        (self.name, link, source) = (name, decoder.link, .property(decoder))
    }

    fileprivate init(name: String, element: String, link: Link) {
        (self.name, self.link, source) = (name, link, .element(element))
    }

    private var text: String {
        get throws {
            switch source {
            case .element(let text): return text
            case .property(let decoder):
                guard let text = try decoder.value(name) else { throw decoder.missing(name) }
                return text
            }
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .property(let decoder) = source else { throw LinkError.unsupported(name) }
        return LinkListDecoder(name: name, texts: decoder.values(name), link: link)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool {
        if case .property(let decoder) = source { !decoder.has(name) } else { false }
    }

    func decode(_ type: Bool.Type) throws -> Bool { try LinkValue.bool(text, name, link) }
    func decode(_ type: String.Type) throws -> String { try text }
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

/// The values of a property, as Codable reads the elements of a list.
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
        let value = try Value(
            from: LinkPropertyDecoder(name: name, element: texts[currentIndex], link: link))
        currentIndex += 1
        return value
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw LinkError.unsupported(name)
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw LinkError.unsupported(name) }
    func superDecoder() throws -> any Decoder { throw LinkError.unsupported(name) }
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
