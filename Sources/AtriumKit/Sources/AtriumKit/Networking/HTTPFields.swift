/// The header fields of a request or a response, in order; names are found in any case.
public struct HTTPFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The fields as they stand on the wire.
    public private(set) var fields: [Field] = []

    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// The value of the fields called `name`, joined by commas where there are several (RFC 9110, 5.3);
    /// setting it replaces all of them, and nil removes them.
    public subscript(name: String) -> String? {
        get {
            var joined: String?
            for field in fields where Self.isSame(field.name, name) {
                joined = joined.map { "\($0), \(field.value)" } ?? field.value
            }
            return joined
        }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// Adds a field behind those that are there.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// A name and its value.
    public struct Field: Sendable, Hashable {
        public let name: String
        public let value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Whether two names differ in the case of ASCII letters at most.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return left == right || left.utf8.elementsEqual(right.utf8) { folded($0) == folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
