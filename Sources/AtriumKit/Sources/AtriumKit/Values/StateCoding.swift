internal import FoundationEssentials

/// Encodes what is kept between runs (destinations, saved view-model state) as JSON.
@_spi(Host) public enum StateCoding {
    /// The JSON text of `value`, keys sorted so that equal values give equal text.
    public static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The value that ``encode(_:)`` made the text from.
    public static func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
