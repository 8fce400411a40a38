/// A JSON value without its position: configuration and defaults, as the host keeps them.
public enum ManifestValue: Sendable, Hashable {
    /// `null`.
    case null

    /// `true` or `false`.
    case bool(Bool)

    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)

    /// Any other number; always finite when it was read from a file.
    case number(Double)

    /// Text.
    case string(String)

    /// The items of an array.
    case array([ManifestValue])

    /// The members of an object; `==` compares their order.
    case object([Member])

    /// A key of an object with its value.
    public struct Member: Sendable, Hashable {
        public let key: String

        public let value: ManifestValue

        public init(key: String, value: ManifestValue) {
            self.key = key
            self.value = value
        }
    }
}

extension ManifestValue.Member {
    init(_ located: LocatedJSON.Member) {
        self.init(key: located.key, value: ManifestValue(located.value))
    }
}

extension ManifestValue {
    /// The members of a JSON object.
    ///
    /// - Throws: ``JSONSyntaxError`` if the text is not JSON.
    public static func members(json: String) throws(JSONSyntaxError) -> [Member] {
        try LocatedJSON(parsing: Array(json.utf8)).members.map(Member.init)
    }

    /// The value without its position.
    public init(_ located: LocatedJSON) {
        switch located.content {
        case .null: self = .null
        case .bool(let bool): self = .bool(bool)
        case .integer(let integer): self = .integer(integer)
        case .number(let number): self = .number(number)
        case .string(let string): self = .string(string)
        case .array(let items): self = .array(items.map(ManifestValue.init))
        case .object(let members):
            self = .object(members.map(Member.init))
        }
    }

    /// Whether both are the same JSON: neither the order of keys nor `1` or `1.0` matters.
    func isSameJSON(as other: ManifestValue) -> Bool {
        canonical == other.canonical
    }

    /// The value with sorted keys and whole numbers as integers.
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
            Self.appendList(items, in: ("[", "]"), to: &text) { $0.appendJSON(to: &$1) }
        case .object(let members):
            Self.appendList(members, in: ("{", "}"), to: &text) { member, text in
                Self.appendQuoted(member.key, to: &text)
                text += ":"
                member.value.appendJSON(to: &text)
            }
        }
    }

    private static func appendList<Item>(
        _ items: [Item], in brackets: (String, String), to text: inout String,
        append: (Item, inout String) -> Void
    ) {
        text += brackets.0
        for (index, item) in items.enumerated() {
            if index > 0 { text += "," }
            append(item, &text)
        }
        text += brackets.1
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
