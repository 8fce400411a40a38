/// A value that a view can show: as text to a user, as JSON to a program.
public protocol Displayable: Sendable {
    /// The text that a user reads; empty if there is nothing to show.
    var displayText: String { get }
    /// The value for programs.
    var json: JSONValue { get }
}

extension String: Displayable {
    public var displayText: String { self }
    public var json: JSONValue { .string(self) }
}

extension Int: Displayable {
    public var displayText: String { String(self) }
    public var json: JSONValue { .integer(Int64(self)) }
}

extension Double: Displayable {
    public var displayText: String { String(self) }
    public var json: JSONValue { .number(self) }
}

extension Bool: Displayable {
    /// `yes` or `no`.
    public var displayText: String { self ? "yes" : "no" }
    public var json: JSONValue { .bool(self) }
}

extension Optional: Displayable where Wrapped: Displayable {
    /// The text of the value; empty for nil.
    public var displayText: String { self?.displayText ?? "" }
    /// The value for programs; null for nil.
    public var json: JSONValue { self?.json ?? .null }
}

extension Array: Displayable where Element: Displayable {
    /// The texts of the elements, separated by commas.
    public var displayText: String { map(\.displayText).joined(separator: ", ") }
    /// A list of the elements for programs.
    public var json: JSONValue { .array(map(\.json)) }
}

enum Words {
    /// Returns a label made from a key, split at capitals, dashes and underscores: `firstName` becomes `First
    /// name`.
    static func label(forKey key: String) -> String {
        guard key.utf8.allSatisfy({ $0 < 0x80 }) else { return key }
        return String(unsafeUninitializedCapacity: 2 * key.utf8.count) { label in
            var count = 0
            for byte in key.utf8 {
                var byte = byte
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z") where count == 0: byte -= 32
                case UInt8(ascii: "A")...UInt8(ascii: "Z") where count > 0:
                    label[count] = UInt8(ascii: " ")
                    count += 1
                    byte += 32
                case UInt8(ascii: "-"), UInt8(ascii: "_"): byte = UInt8(ascii: " ")
                default: break
                }
                label[count] = byte
                count += 1
            }
            return count
        }
    }
}
