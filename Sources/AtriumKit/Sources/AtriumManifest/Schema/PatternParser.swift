/// Reads a pattern into its tree.
struct PatternParser {
    /// Whether the pattern starts with `^`; known after parsing.
    private(set) var isAnchoredAtStart = false

    /// Whether the pattern ends with `$`; known after parsing.
    private(set) var isAnchoredAtEnd = false

    private let source: String
    private let scalars: [Unicode.Scalar]
    private var offset = 0

    init(_ source: String) {
        self.source = source
        scalars = Array(source.unicodeScalars)
    }

    /// Reads the whole pattern.
    mutating func parse() throws(PatternError) -> PatternExpression {
        isAnchoredAtStart = take("^")
        let alternatives = try parseAlternatives()
        isAnchoredAtEnd = take("$")
        if offset < scalars.count { throw unexpected() }
        if alternatives.count > 1, isAnchoredAtStart || isAnchoredAtEnd {
            throw error("put '|' in a group, so that it is clear what the anchors belong to")
        }
        return .choice(alternatives)
    }

    private var next: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        offset += 1
        return true
    }

    private mutating func parseAlternatives() throws(PatternError) -> [PatternExpression] {
        var alternatives = [try parseSequence()]
        while take("|") { alternatives.append(try parseSequence()) }
        return alternatives
    }

    private mutating func parseSequence() throws(PatternError) -> PatternExpression {
        var items: [PatternExpression] = []
        while let next, next != "|", next != ")", next != "$" {
            items.append(try parseRepetition(of: try parseAtom()))
        }
        return .sequence(items)
    }

    private mutating func parseAtom() throws(PatternError) -> PatternExpression {
        if take("(") { return try parseGroup() }
        if take("[") { return .one(try parseClass()) }
        if take("\\") { return .one(try parseEscape()) }
        if take(".") { return .one(.anyButLineEnds) }
        switch next {
        case nil, "^", "*", "+", "?", "{", "}", "]": throw unexpected()
        case let next?:
            offset += 1
            return .one(ScalarSet(next))
        }
    }

    private mutating func parseGroup() throws(PatternError) -> PatternExpression {
        if take("?"), !take(":") { throw error("of groups with '?' only '(?:' is supported") }
        let alternatives = try parseAlternatives()
        guard take(")") else { throw unexpected() }
        return .choice(alternatives)
    }

    private mutating func parseRepetition(of item: PatternExpression) throws(PatternError)
        -> PatternExpression
    {
        if take("*") { return .repeated(item, minimum: 0, maximum: nil) }
        if take("+") { return .repeated(item, minimum: 1, maximum: nil) }
        if take("?") { return .repeated(item, minimum: 0, maximum: 1) }
        guard take("{") else { return item }
        let minimum = try parseCount()
        var maximum: Int? = minimum
        if take(",") { maximum = next == "}" ? nil : try parseCount() }
        guard take("}"), minimum <= maximum ?? minimum else { throw error("a count is {m}, {m,} or {m,n}") }
        return .repeated(item, minimum: minimum, maximum: maximum)
    }

    /// Reads a number of repetitions; two digits are more than an automaton of 64 states can use.
    private mutating func parseCount() throws(PatternError) -> Int {
        var count: Int?
        while let next, ScalarSet.digits.contains(next.value) {
            count = (count ?? 0) * 10 + Int(next.value - 0x30)
            offset += 1
            if count ?? 0 > 99 { throw error("a count is at most 99") }
        }
        guard let count else { throw error("a count is {m}, {m,} or {m,n}") }
        return count
    }

    private mutating func parseClass() throws(PatternError) -> ScalarSet {
        let isNegated = take("^")
        var ranges: [ScalarSet.Range] = []
        while !take("]") {
            let lower = try parseClassItem()
            guard next == "-", offset + 1 < scalars.count, scalars[offset + 1] != "]" else {
                ranges += lower.ranges
                continue
            }
            offset += 1
            let upper = try parseClassItem()
            guard let from = lower.onlyScalar, let to = upper.onlyScalar, from <= to else {
                throw error("a range in a class goes from a character to a later one")
            }
            ranges.append(ScalarSet.Range(from, to))
        }
        let set = ScalarSet(ranges)
        return isNegated ? set.complement : set
    }

    private mutating func parseClassItem() throws(PatternError) -> ScalarSet {
        if take("\\") { return try parseEscape() }
        guard let next else { throw unexpected() }
        offset += 1
        return ScalarSet(next)
    }

    private mutating func parseEscape() throws(PatternError) -> ScalarSet {
        guard let letter = next else { throw unexpected() }
        offset += 1
        switch letter {
        case "d": return .digits
        case "D": return ScalarSet.digits.complement
        case "s": return .spaces
        case "S": return ScalarSet.spaces.complement
        case "w": return .wordCharacters
        case "W": return ScalarSet.wordCharacters.complement
        case "n": return ScalarSet("\n")
        case "r": return ScalarSet("\r")
        case "t": return ScalarSet("\t")
        case "u": return try parseCodePoint()
        default:
            guard letter.isASCII, !ScalarSet.wordCharacters.contains(letter.value) else {
                throw error("'\\\(letter)' is not supported")
            }
            return ScalarSet(letter)
        }
    }

    private mutating func parseCodePoint() throws(PatternError) -> ScalarSet {
        let digits = scalars[offset...].prefix(4).map { Character($0).hexDigitValue ?? 16 }
        let value = digits.reduce(0) { $0 << 4 + $1 }
        guard digits.count == 4, !digits.contains(16), let scalar = Unicode.Scalar(UInt32(value)) else {
            throw error("'\\u' needs the four hexadecimal digits of a character")
        }
        offset += 4
        return ScalarSet(scalar)
    }

    private func unexpected() -> PatternError {
        error(next.map { "found '\($0)' at character \(offset + 1)" } ?? "it ends too early")
    }

    private func error(_ reason: String) -> PatternError {
        PatternError(message: "\(Wording.quoted(source)) is not a supported pattern: \(reason).")
    }
}

extension ScalarSet {
    /// The scalar, where the set holds exactly one.
    fileprivate var onlyScalar: UInt32? {
        ranges.count == 1 && ranges[0].lower == ranges[0].upper ? ranges[0].lower : nil
    }
}
