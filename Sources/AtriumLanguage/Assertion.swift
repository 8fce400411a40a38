@_spi(Host) internal import AtriumKit
package import AtriumText

/// `assert LEFT COMPARISON RIGHT`: the expectation of a test script.
package enum Assertion {
    package static let word = "assert"
    package static let comparisons = ["==", "!=", "<", "<=", ">", ">=", "contains"]

    /// - Throws: ``ShellError`` if the words are not a comparison, or the comparison is false.
    package static func check(_ words: [String]) throws(ShellError) {
        guard words.count == 3, comparisons.contains(words[1]) else {
            throw ShellError(
                .invalidArgument,
                "'assert' takes two values with one of \(comparisons.joined(separator: ", ")) between them.",
                hint: "assert $_.total == 3")
        }
        let (left, comparison, right) = (words[0], words[1], words[2])
        guard try !holds(left, comparison, right) else { return }
        throw ShellError(
            "assertionFailed",
            "The assertion is false: '\(left.shortened)' \(comparison) '\(right.shortened)'.",
            hint: "The values are those of this moment; '$_' is the last result.")
    }

    /// Compares numbers as numbers, and other text character by character.
    static func holds(
        _ left: String, _ comparison: String, _ right: String
    ) throws(ShellError) -> Bool {
        if comparison == "contains" { return left.contains(right) }
        if let left = DecimalNumber(left), let right = DecimalNumber(right) {
            guard left.isExact || right.isExact else {
                throw ShellError(
                    .invalidArgument, "'assert' can't compare two exponents of more than 18 digits.")
            }
            return compare(left, comparison, right)
        }
        return compare(left, comparison, right)
    }

    private static func compare<Value: Comparable>(
        _ left: Value, _ comparison: String, _ right: Value
    ) -> Bool {
        switch comparison {
        case "==": left == right
        case "!=": left != right
        case "<": left < right
        case "<=": left <= right
        case ">": left > right
        default: left >= right
        }
    }
}
