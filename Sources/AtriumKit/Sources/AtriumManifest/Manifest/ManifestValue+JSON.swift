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
