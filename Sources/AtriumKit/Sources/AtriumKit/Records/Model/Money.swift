/// An amount of money in hundredths, exact: `12.50`.
public struct Money: Sendable, Hashable, Comparable {
    /// The amount in hundredths, such as cents.
    public let hundredths: Int

    /// Creates an amount from its hundredths.
    public init(hundredths: Int) {
        self.hundredths = hundredths
    }

    public static func < (left: Money, right: Money) -> Bool { left.hundredths < right.hundredths }

    /// Adds amounts; stops at the greatest or least one.
    public static func + (left: Money, right: Money) -> Money {
        Money(hundredths: left.hundredths.addingClamped(right.hundredths))
    }

    /// Multiplies an amount; stops at the greatest or least one.
    public static func * (left: Money, right: Int) -> Money {
        Money(hundredths: left.hundredths.multipliedClamped(by: right))
    }

    /// The greatest amount that JSON holds exactly, and its opposite.
    static let limits = -(1 << 53)...(1 << 53)
}

extension Money: RecordValue {
    public static var argumentTypeName: String { "an amount such as 12.50" }
    public static var columnType: ColumnType { .integer }
    public static var databaseTypeName: String { "an integer" }

    /// Parses digits, with at most two decimals: `12`, `12.5`, `-0.05`.
    public init?(argument: String) {
        let isNegative = argument.hasPrefix("-")
        let parts = argument.dropFirst(isNegative ? 1 : 0).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        let isNumber = (parts + [decimals]).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { (48...57).contains($0) }
        }
        guard isNumber, decimals.utf8.count <= 2,
            let value = Int(parts[0] + decimals + (decimals.utf8.count == 1 ? "0" : "")),
            Self.limits.contains(value)
        else { return nil }
        hundredths = isNegative ? -value : value
    }

    public var argumentText: String { displayText }

    /// The amount with two decimals: `12.50`.
    public var displayText: String {
        let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The amount as a number, exact within 2⁵³ hundredths: `12.5`.
    public var json: JSONValue {
        hundredths.isMultiple(of: 100)
            ? .integer(Int64(hundredths / 100)) : .number(Double(hundredths) / 100)
    }

    /// Takes a number, or a text with one; nil for others, and for more than two decimals.
    public init?(json: JSONValue) {
        switch json {
        case .string(let text): self.init(argument: text)
        case .integer(let number): self.init(argument: "\(number)")
        case .number(let number):
            let value = (number * 100).rounded()
            guard abs(value) <= Double(1 << 53), value / 100 == number else {
                return nil
            }
            self.init(hundredths: Int(value))
        default: return nil
        }
    }

    /// Reads an integer, the hundredths; nil for other values.
    public init?(databaseValue: DatabaseValue) {
        guard let hundredths = Int(databaseValue: databaseValue) else { return nil }
        self.init(hundredths: hundredths)
    }

    public var databaseValue: DatabaseValue { hundredths.databaseValue }
}
