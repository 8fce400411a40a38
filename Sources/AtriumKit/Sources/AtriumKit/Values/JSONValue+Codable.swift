internal import FoundationEssentials

extension JSONValue: Codable {
    /// Reads a value of any kind; whole numbers that fit become ``integer(_:)``.
    public init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: JSONKey.self) {
            self = .object(try JSONObject(members))
        } else if var items = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !items.isAtEnd { values.append(try items.decode(JSONValue.self)) }
            self = .array(values)
        } else {
            self = try JSONValue(decoder.singleValueContainer())
        }
    }

    private init(_ value: any SingleValueDecodingContainer) throws {
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(Int64.self) {
            self = .integer(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else {
            self = .string(try value.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if case .object(let object) = self { return try object.encode(to: encoder) }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object: break
        }
    }
}

extension JSONObject: Codable {
    /// Reads an object; its members are in the order of their keys, because Codable does not keep another.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.container(keyedBy: JSONKey.self))
    }

    fileprivate init(_ members: KeyedDecodingContainer<JSONKey>) throws {
        self.init()
        for key in members.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            self[key.stringValue] = try members.decode(JSONValue.self, forKey: key)
        }
    }

    /// Writes the members; their order depends on the encoder, unlike in ``JSONValue/serialized``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONKey.self)
        for member in members { try container.encode(member.value, forKey: JSONKey(stringValue: member.key)) }
    }
}

struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) { nil }
}

/// JSON encoding of values kept between runs: destinations, and saved view-model state.
@_spi(Host) public enum StateCoding {
    /// Returns the JSON text of `value`, keys sorted so that equal values give equal text.
    public static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Decodes a value from text that ``encode(_:)`` made.
    public static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension StateCoding {
    /// Returns the member that takes the most bytes of a JSON object made by ``encode(_:)``; nil if there is
    /// none.
    public static func largestField(in json: String) -> String? {
        var largest: (name: Range<Int>, size: Int)?
        let bytes = Array(json.utf8)
        var (depth, text, name, value) = (0, Int?.none, 0..<0, 0)
        var isEscaped = false
        for (index, byte) in bytes.enumerated() {
            if let start = text {
                let wasEscaped = isEscaped
                isEscaped = byte == UInt8(ascii: "\\") && !wasEscaped
                guard byte == UInt8(ascii: "\""), !wasEscaped else { continue }
                text = nil
                if depth == 1, value == 0 { name = start + 1..<index }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): text = index
            case UInt8(ascii: ":") where depth == 1: value = index + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
                if depth == 1, value > 0, index - value > largest?.size ?? 0 {
                    largest = (name, index - value)
                }
                if depth == 1 { value = 0 }
                if byte != UInt8(ascii: ",") { depth -= 1 }
            default: break
            }
        }
        return largest.map { String(decoding: bytes[$0.name], as: UTF8.self) }
    }

    /// Returns the reason that a value could not be encoded or decoded, as the end of a sentence that names
    /// the field; nil for other errors.
    public static func reason(of error: any Error) -> String? {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "field '\(name(context.codingPath + [key]))' is missing."
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "\(subject(context.codingPath)) has another type."
        case DecodingError.dataCorrupted(let context):
            "\(subject(context.codingPath)) has a value that can't be read."
        case EncodingError.invalidValue(let value, let context):
            "\(subject(context.codingPath)) has the value \(value), which can't be saved."
        default: nil
        }
    }

    private static func subject(_ path: [any CodingKey]) -> String {
        path.isEmpty ? "the whole value" : "field '\(name(path))'"
    }

    /// Returns the path in the form `items[2].price`.
    private static func name(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { name, key in
            if let index = key.intValue {
                name += "[\(index)]"
            } else {
                name += (name.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}
