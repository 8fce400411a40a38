import AtriumKit

/// An amount of money in hundredths, so that sums are exact.
struct Price: Codable, Hashable, Sendable {
    /// From 0.01 to 1,000,000.00.
    static let range = 1...100_000_000

    enum Limits: NumberLimits {
        static var range: ClosedRange<Int> { Price.range }
    }

    @Bounded<Limits> private(set) var cents: Int

    func validate() -> [ValidationFinding] {
        guard !Self.range.contains(cents) else { return [] }
        return [ValidationFinding("The price must be from 0.01 to 1000000.00.", field: "price")]
    }
}

extension Price {
    /// Reads an amount as people type it: `49`, `49.5` or `49.00`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // '49.5' is '49.50'.
        let decimals =
            parts.count == 2 && parts[1].count == 1 ? parts[1] + "0" : parts.dropFirst().first ?? "00"
        guard parts.count <= 2, let whole = Self.number(parts[0], digits: 1...7),
            let hundredths = Self.number(decimals, digits: 2...2)
        else { return nil }
        self.init(cents: whole * 100 + hundredths)
    }

    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.allSatisfy({ ("0"..."9").contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
