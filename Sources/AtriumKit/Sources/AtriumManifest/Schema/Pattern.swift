/// A regular expression of JSON Schema's `pattern`, compiled to an automaton of at most 64 states.
///
/// Matching takes time in proportion to the text, whatever the pattern: all states advance together as
/// the bits of one word. The standard library's `Regex` isn't used here because it can't be shared
/// between tasks and costs 1.3 ms before the first match of semver.org's expression and 3 µs for each
/// one after, where a start of the host takes 4 ms; this takes microseconds and nanoseconds.
///
/// Supported, with the meaning of ECMA-262: literals, `.`, classes, `\d \D \s \S \w \W`, `\uXXXX`,
/// groups, `|`, `* + ? {m,n}`, and `^` and `$` at the ends. As JSON Schema says, a pattern without anchors
/// matches anywhere in the text.
struct Pattern: Sendable {
    /// The pattern as it is written.
    let source: String

    /// Whether the empty text matches between the anchors.
    private let isNullable: Bool
    private let isAnchoredAtStart: Bool
    private let isAnchoredAtEnd: Bool

    /// The states that the first character can lead to, and those in which a match may end.
    private let first: UInt64
    private let last: UInt64

    /// The states that may come after each state.
    private let following: [UInt64]

    /// The states that accept each ASCII character, and for other characters what each state accepts.
    private let asciiStates: [UInt64]
    private let accepted: [ScalarSet]

    /// Compiles a pattern.
    init(_ source: String) throws(PatternError) {
        var parser = PatternParser(source)
        let expression = try parser.parse()
        var builder = PatternBuilder()
        let whole = try builder.add(expression)
        self.source = source
        isNullable = whole.isNullable
        isAnchoredAtStart = parser.isAnchoredAtStart
        isAnchoredAtEnd = parser.isAnchoredAtEnd
        first = whole.first
        last = whole.last
        following = builder.following
        accepted = builder.accepted
        asciiStates = builder.asciiStates
    }

    /// Whether the pattern is found in a text.
    func matches(_ text: String) -> Bool {
        if isNullable, !(isAnchoredAtStart && isAnchoredAtEnd) { return true }
        var states: UInt64 = 0
        var isAtStart = true
        for scalar in text.unicodeScalars {
            let entered = isAtStart || !isAnchoredAtStart ? first : 0
            states = (entered | successors(of: states)) & statesAccepting(scalar)
            isAtStart = false
            if states & last != 0, !isAnchoredAtEnd { return true }
            if states == 0, isAnchoredAtStart { return false }
        }
        return isAtStart ? isNullable : isAnchoredAtEnd && states & last != 0
    }

    private func successors(of states: UInt64) -> UInt64 {
        var result: UInt64 = 0
        var rest = states
        while rest != 0 {
            result |= following[rest.trailingZeroBitCount]
            rest &= rest - 1
        }
        return result
    }

    private func statesAccepting(_ scalar: Unicode.Scalar) -> UInt64 {
        if scalar.isASCII { return asciiStates[Int(scalar.value)] }
        var result: UInt64 = 0
        for (state, set) in accepted.enumerated() where set.contains(scalar.value) { result |= 1 << state }
        return result
    }
}

/// A text that is no pattern, or one that is not supported.
struct PatternError: Error {
    /// A sentence.
    let message: String
}
