/// What a pattern says, as a tree.
indirect enum PatternExpression {
    case one(ScalarSet)
    case sequence([PatternExpression])
    case choice([PatternExpression])

    /// `maximum` is `nil` where there is none.
    case repeated(PatternExpression, minimum: Int, maximum: Int?)
}

/// Builds Glushkov's automaton: one state for each character class that stands in the pattern.
struct PatternBuilder {
    private(set) var accepted: [ScalarSet] = []
    private(set) var following: [UInt64] = []

    /// The states of a part of the pattern that its matches begin and end with.
    struct Part {
        var isNullable: Bool
        var first: UInt64
        var last: UInt64

        /// What matches nothing but the empty text.
        static let empty = Part(isNullable: true, first: 0, last: 0)
    }

    /// For each ASCII character the states that accept it.
    var asciiStates: [UInt64] {
        var result = [UInt64](repeating: 0, count: 128)
        for (state, set) in accepted.enumerated() {
            for range in set.ranges where range.lower < 128 {
                for scalar in range.lower...min(range.upper, 127) { result[Int(scalar)] |= 1 << state }
            }
        }
        return result
    }

    /// Adds the states of an expression.
    mutating func add(_ expression: PatternExpression) throws(PatternError) -> Part {
        switch expression {
        case .one(let set):
            return try addState(accepting: set)
        case .sequence(let items):
            var whole = Part.empty
            for item in items { whole = join(whole, try add(item)) }
            return whole
        case .choice(let items):
            var whole = Part(isNullable: false, first: 0, last: 0)
            for item in items {
                let part = try add(item)
                whole.isNullable = whole.isNullable || part.isNullable
                whole.first |= part.first
                whole.last |= part.last
            }
            return whole
        case .repeated(let item, let minimum, let maximum):
            return try addRepeated(item, minimum: minimum, maximum: maximum)
        }
    }

    private mutating func addState(accepting set: ScalarSet) throws(PatternError) -> Part {
        guard accepted.count < 64 else {
            throw PatternError(message: "The pattern is too long: it has more than 64 characters to match.")
        }
        accepted.append(set)
        following.append(0)
        let bit = UInt64(1) << (accepted.count - 1)
        return Part(isNullable: false, first: bit, last: bit)
    }

    /// A repetition as copies: the required ones, then the optional ones or one that loops.
    private mutating func addRepeated(
        _ item: PatternExpression, minimum: Int, maximum: Int?
    ) throws(PatternError) -> Part {
        var whole = Part.empty
        for copy in 0..<minimum {
            let part = try add(item)
            if maximum == nil, copy == minimum - 1 { link(part.last, to: part.first) }
            whole = join(whole, part)
        }
        if let maximum {
            for _ in minimum..<maximum { whole = join(whole, optional(try add(item))) }
        } else if minimum == 0 {
            let part = try add(item)
            link(part.last, to: part.first)
            whole = optional(part)
        }
        return whole
    }

    private func optional(_ part: Part) -> Part {
        Part(isNullable: true, first: part.first, last: part.last)
    }

    private mutating func join(_ left: Part, _ right: Part) -> Part {
        link(left.last, to: right.first)
        return Part(
            isNullable: left.isNullable && right.isNullable,
            first: left.isNullable ? left.first | right.first : left.first,
            last: right.isNullable ? left.last | right.last : right.last)
    }

    private mutating func link(_ states: UInt64, to next: UInt64) {
        var rest = states
        while rest != 0 {
            following[rest.trailingZeroBitCount] |= next
            rest &= rest - 1
        }
    }
}
