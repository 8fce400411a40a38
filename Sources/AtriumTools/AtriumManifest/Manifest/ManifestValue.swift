/// A JSON value without its position: configuration and defaults, as the host keeps them.
public enum ManifestValue: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent that fits in 64 bits.
    case integer(Int64)
    /// Any other number; always finite if read from a file.
    case number(Double)
    case string(String)
    case array([ManifestValue])
    /// The members of an object; `==` compares their order.
    case object([Member])

    /// A key of an object and its value, without positions.
    public struct Member: Sendable, Hashable {
        public let key: String
        public let value: ManifestValue

        public init(key: String, value: ManifestValue) {
            (self.key, self.value) = (key, value)
        }
    }

    /// The members of a JSON object.
    ///
    /// - Throws: ``JSONSyntaxError`` if the text is not JSON.
    public static func members(json: String) throws(JSONSyntaxError) -> [Member] {
        try LocatedJSON(parsing: Array(json.utf8)).members.map { Member(key: $0.key, value: $0.value.plain) }
    }

    var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// The type with its article, for messages.
    var typePhrase: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value with sorted keys and whole numbers as integers: equal for the same JSON.
    var canonical: ManifestValue {
        switch self {
        case .null, .bool, .integer, .string: self
        case .number(let number): Int64(exactly: number).map(ManifestValue.integer) ?? self
        case .array(let items): .array(items.map(\.canonical))
        case .object(let members):
            .object(
                members
                    .map { Member(key: $0.key, value: $0.value.canonical) }
                    .sorted { $0.key < $1.key })
        }
    }

    /// The value in a message: text in single quotes, the rest as compact JSON, clipped.
    var excerpt: String {
        switch self {
        case .string(let text): Wording.quoted(text)
        default: Wording.clipped(canonical.json)
        }
    }
}

extension ManifestValue {
    /// The value as compact JSON: no spaces, keys in their order.
    ///
    /// Parsing it gives an equal value. Text that isn't ASCII stays as it is; a number that isn't finite,
    /// which JSON can't express, becomes `null`.
    public var json: String {
        var text = ""
        appendJSON(to: &text)
        return text
    }

    private func appendJSON(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let bool): text += bool ? "true" : "false"
        case .integer(let integer): text += String(integer)
        case .number(let number): text += number.isFinite ? "\(number)" : "null"
        case .string(let string): Self.appendQuoted(string, to: &text)
        case .array(let items):
            text += "["
            for (index, item) in items.enumerated() {
                if index > 0 { text += "," }
                item.appendJSON(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.appendQuoted(member.key, to: &text)
                text += ":"
                member.value.appendJSON(to: &text)
            }
            text += "}"
        }
    }

    private static func appendQuoted(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += #"\""#
            case "\\": text += #"\\"#
            case "\n": text += #"\n"#
            case "\r": text += #"\r"#
            case "\t": text += #"\t"#
            case "\0"..<" ":
                text += scalar.value < 16 ? #"\u000"# : #"\u00"#
                text += String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
