import AtriumKit

/// An amount of money in hundredths, so that sums are exact.
struct Price: Codable, Hashable, Sendable {
    /// From 0.01 to 1,000,000.00.
    static let range = 1...100_000_000

    private(set) var cents: Int

    init(cents: Int) { self.cents = cents }

    func validate() -> [ValidationFinding] {
        guard !Self.range.contains(cents) else { return [] }
        return [ValidationFinding("The price must be from 0.01 to 1000000.00.", field: "price")]
    }
}

extension Price {
    /// Reads an amount as people type it: `49`, `49.5` or `49.00`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first.flatMap({ Self.number($0, digits: 7) }), parts.count <= 2 else {
            return nil
        }
        cents = whole * 100
        guard parts.count == 2 else { return }
        guard let decimals = Self.number(parts[1], digits: 2) else { return nil }
        cents += parts[1].count == 1 ? decimals * 10 : decimals
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count <= digits, text.allSatisfy({ ("0"..."9").contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
