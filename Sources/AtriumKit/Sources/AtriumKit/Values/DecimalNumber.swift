/// A number in decimal notation, with any number of digits, compared exactly.
///
/// Exponents of more than 18 digits are clamped.
@_spi(Host) public struct DecimalNumber: Comparable, Sendable {
    private let isNegative: Bool
    /// The digits, from the first to the last that is not 0; empty for zero.
    private let digits: [UInt8]
    /// The position of the decimal point, counted from the first digit: 1 for `1.5`; 0 for zero.
    private let point: Int

    /// Parses digits with an optional sign, decimal point and exponent: `-1.5e3`; nil for other text.
    public init?(_ text: String) {
        let mayBeNumber = text.utf8.allSatisfy {
            (UInt8(ascii: "+")...UInt8(ascii: "9")).contains($0) || $0 | 0x20 == UInt8(ascii: "e")
        }
        guard mayBeNumber else { return nil }
        let isSigned = text.hasPrefix("-") || text.hasPrefix("+")
        let parts = text.dropFirst(isSigned ? 1 : 0)
            .split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
        let power = parts.count == 2 ? Self.power(parts[1]) : 0
        let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let all = halves.joined(separator: "").utf8.map { $0 &- UInt8(ascii: "0") }
        guard let power, parts.count <= 2, halves.count <= 2, !all.isEmpty, all.allSatisfy({ $0 < 10 })
        else { return nil }
        guard let first = all.firstIndex(where: { $0 > 0 }), let last = all.lastIndex(where: { $0 > 0 })
        else {
            (isNegative, digits, point) = (false, [], 0)
            return
        }
        isNegative = text.hasPrefix("-")
        digits = Array(all[first...last])
        point = power + halves[0].utf8.count - first
    }

    /// The exponent, clamped; nil if the text is not a whole number.
    private static func power(_ text: Substring) -> Int? {
        let limit = 1 << 62
        if let power = Int(text) { return min(max(power, -limit), limit) }
        let digits = text.dropFirst(text.hasPrefix("-") || text.hasPrefix("+") ? 1 : 0).utf8
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.hasPrefix("-") ? -limit : limit
    }

    /// False if the exponent was clamped: two such numbers can't be compared.
    public var isExact: Bool { point.magnitude < 1 << 61 }

    public static func < (left: DecimalNumber, right: DecimalNumber) -> Bool {
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative ? right.isSmaller(than: left) : left.isSmaller(than: right)
    }

    private func isSmaller(than other: DecimalNumber) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.count < other.digits.count }
        guard point == other.point else { return point < other.point }
        return digits.lexicographicallyPrecedes(other.digits)
    }

    /// The number times a power of ten, clamped.
    ///
    /// Rounds a fraction to an odd number, so that it stays on its side of every even one.
    func whole(timesTenTo power: Int) -> Int128 {
        let count = digits.isEmpty ? 0 : max(0, point + power)
        guard count <= 38 else { return isNegative ? .min : .max }
        var value: Int128 = 0
        for index in 0..<count { value = value * 10 + (index < digits.count ? Int128(digits[index]) : 0) }
        if digits.count > count { value |= 1 }
        return isNegative ? -value : value
    }
}
