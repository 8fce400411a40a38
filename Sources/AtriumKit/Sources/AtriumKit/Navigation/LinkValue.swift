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
