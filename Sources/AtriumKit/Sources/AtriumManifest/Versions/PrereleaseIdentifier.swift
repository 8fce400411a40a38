/// One of the identifiers after the `-` of a version: `beta`, `11`.
///
/// Numbers are kept as digits, so that their length is not limited; without leading zeros, a longer
/// number is the larger one.
public struct PrereleaseIdentifier: Sendable, Hashable {
    /// The identifier as it is written.
    let text: String

    /// Whether it is a number, which orders by value and before every word.
    let isNumeric: Bool

    /// Makes an identifier from text that has been checked to be one.
    init(checked text: String) {
        self.text = text
        self.isNumeric = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}

extension PrereleaseIdentifier: Comparable {
    /// Numbers by value and before words; words by their ASCII letters.
    public static func < (left: PrereleaseIdentifier, right: PrereleaseIdentifier) -> Bool {
        switch (left.isNumeric, right.isNumeric) {
        case (true, true): (left.text.utf8.count, left.text) < (right.text.utf8.count, right.text)
        case (false, false): left.text < right.text
        case (let leftIsNumeric, _): leftIsNumeric
        }
    }
}

extension PrereleaseIdentifier: CustomStringConvertible {
    /// The identifier as it is written.
    public var description: String { text }
}
